/** What became of each step, which sent the browser to the page of notices. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  added: "The channel is added. Send it a test.",
  "already-added": "This channel was added before.",
  asked: "A mail is on its way, unless too many were sent there today. Open its link, and press the button there.",
  tested:
    "A test is on its way. Reload the page in a few seconds: the channel’s last deliveries say whether it arrived.",
  renamed: "The channel is renamed.",
  on: "The channel is on.",
  off: "The channel is off: nothing is sent there.",
  "secret-ended": "Messages are now signed with the newest secret alone.",
  removed: "The channel is removed.",
};

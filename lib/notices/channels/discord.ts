import type { Message, Outcome } from "@/lib/notices/message";
import { oneLine } from "@/lib/notices/plain-text";
import { type Attempt, post } from "./post";

/** What Discord takes of one message, in characters. */
const MAX_CONTENT = 2000;
const MAX_TITLE = 300;
const MAX_LINE = 400;
/** Discord shows no preview of links in such a message. */
const SUPPRESS_EMBEDS = 4;

/** Sends a message to a webhook of Discord. `message.link` is a whole address. Never throws. */
export async function send({ url }: { url: string }, message: Message, attempt: Attempt): Promise<Outcome> {
  return post(url, JSON.stringify(discordBody(message)), {}, attempt);
}

/** A message in Discord's form: names stand as they were typed, without markup, links of their own and mentions. */
export function discordBody({ title, lines, link }: Message) {
  const end = `\n<${link}>`;
  const rest = (count: number) => (count > 0 ? `\n… and ${count} more lines` : "");
  const head = `**${escapeMarkup(oneLine(title, MAX_TITLE))}**`;
  const written = lines.map((line) => `\n${escapeMarkup(oneLine(line, MAX_LINE))}`);
  let shown = written.length;
  const content = () => head + written.slice(0, shown).join("") + rest(written.length - shown) + end;
  while (shown > 0 && content().length > MAX_CONTENT) shown--;
  return { content: content(), allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS };
}

function escapeMarkup(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<:@+-]/g, "\\$&");
}

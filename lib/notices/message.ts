/** What is told, before a channel gives it a form. Texts of customers stand in it as they were typed. */
export type Message = {
  id: string;
  account: number;
  title: string;
  lines: readonly string[];
  /** What happened, for programs. JSON. */
  events: readonly unknown[];
  /** A path of the console. */
  link: string;
  /** The same for all messages of one outage. */
  thread: string;
  /** When it was written. ISO 8601. */
  at: string;
};

/** What became of one attempt. The sentences are for the owner of the channel. */
export type Outcome =
  /** `note`: what should be looked at all the same. */
  | { kind: "delivered"; note?: string }
  /** `afterSeconds`: what the receiver asked for. `arrived`: it has certainly not taken this; else it may have. */
  | { kind: "again"; reason: string; afterSeconds?: number; arrived?: "no" }
  /** No further attempt can succeed while the channel is as it is. */
  | { kind: "refused"; reason: string };

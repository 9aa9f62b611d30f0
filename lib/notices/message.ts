import type { Prisma } from "@/lib/database/client";
import type { Subject } from "@/lib/notices/kinds";

/** What is told, before a channel gives it a form. Texts of customers stand in it as they were typed. */
export type Message = {
  /** The same in every attempt. */
  id: string;
  title: string;
  lines: readonly string[];
  /** What happened, for programs. */
  events: readonly Prisma.InputJsonObject[];
  /** A path of the console. */
  link: string;
  /** When it was written. ISO 8601. */
  at: string;
};

/** What a message tells of one subject. Times in epoch milliseconds; `to` is null while it goes on. */
export type Told = {
  subject: Subject;
  subjectId: number;
  kind: string;
  /** As its owner named it. */
  name: string;
  from: number;
  to: number | null;
  /** Its beginning was told before. */
  isEnd: boolean;
  /** The third beginning of it within an hour. */
  isThird: boolean;
};

/** What became of one attempt. The sentences are for the owner of the channel. */
export type Outcome =
  /** `note`: what should be looked at all the same. */
  | { kind: "delivered"; note?: string }
  /** `afterSeconds`: what the receiver asked for. `arrived`: it has certainly not taken this; else it may have. */
  | { kind: "again"; reason: string; afterSeconds?: number; arrived?: "no" }
  /** No further attempt can succeed while the channel is as it is. */
  | { kind: "refused"; reason: string };

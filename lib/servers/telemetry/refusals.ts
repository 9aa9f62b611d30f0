import { execute } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";

/** In characters. */
const LONGEST = 300;

const s = table("Server", "s");

// Sentences that differ in figures alone are one reason: how far a clock is ahead changes each minute.
const withoutFigures = (sentence: string) => `translate(${sentence}, '0123456789', '')`;

// The first reason after a check-in is written at once, another one a minute after the last.
const NOTE = statement(
  { id: s.id, sentence: parameter<string>("text"), isRefused: parameter<boolean>("boolean") },
  ({ id, sentence, isRefused }) => ({
    sql: `update ${s} set ${s.refusal.name} = ${sentence}, ${s.refusedSince.name} = now()
    where ${s.id} = ${id} and (${s.refusal} is null or ${s.refusedSince} <= now() - interval '1 minute'
        and ${withoutFigures(s.refusal.sql)} <> ${withoutFigures(sentence)})
      and (${isRefused} or ${s.lastSeenAt} is null or ${s.lastSeenAt} < now() - interval '${ONLINE_WINDOW} ms')`,
  }),
);

/**
 * Keeps why a body for this server is not used, for its page, until the next check-in. A body that tells nothing is kept of
 * a server that is offline alone: agents may send what is known in another one.
 */
export async function noteRefusal(serverId: number, reason: { refused: string } | { empty: string }): Promise<void> {
  const [isRefused, sentence] = "refused" in reason ? [true, reason.refused] : [false, reason.empty];
  const shown = sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1)}…` : sentence;
  await execute(NOTE, { id: serverId, sentence: shown, isRefused });
}

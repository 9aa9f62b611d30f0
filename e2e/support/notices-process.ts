// An instance of the notices' loop in a process of its own, which can die at a named step. Sent `{ tick }`, it considers what is
// new, sends what is due to the receiver in its second argument, and answers when nothing is on its way. Sent `{ die }`, it
// ends with kill -9 at that step, or PostgreSQL does: before or after a statement with a text in it, or around the sending itself.
import { readFileSync } from "node:fs";
import pg from "pg";

process.env.DATABASE_URL = process.argv[2];
const receiver = process.argv[3] ?? "";

/** `postgres`: the id of the server process that ends instead. */
export type Death = { when: "before" | "after"; what: string; postgres?: number };
type Order = { id: number; tick?: true; die?: Death | null };

/** A receiver that takes longer is given up, as a channel does. In milliseconds. */
const ANSWER_WITHIN = 1500;

let death: Death | null = null;

function dieAt(when: Death["when"], what: string): void {
  if (death?.when !== when || !what.includes(death.what)) return;
  const { postgres } = death;
  if (postgres === undefined) return void process.kill(process.pid, "SIGKILL");
  death = null;
  const others = readFileSync(`/proc/${postgres}/task/${postgres}/children`, "utf8").trim().split(" ").map(Number);
  for (const pid of [postgres, ...others]) process.kill(pid, "SIGKILL");
}

const send = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first] = args;
  const text = typeof first === "string" ? first : ((first as { text?: string } | undefined)?.text ?? "");
  dieAt("before", text);
  const callback = args.at(-1);
  if (typeof callback === "function") {
    args[args.length - 1] = (...results: unknown[]) => {
      dieAt("after", text);
      return callback(...results);
    };
  }
  const sent = (send as unknown as (...args: unknown[]) => unknown).apply(this, args);
  if (!(sent instanceof Promise)) return sent;
  return sent.then((result) => {
    dieAt("after", text);
    return result;
  });
} as typeof send;

const { Sending } = await import("@/lib/notices/sending");

const sending = new Sending(async (channel, message, { id }) => {
  dieAt("before", "sending");
  try {
    const response = await fetch(`${receiver}/${channel.name}`, {
      method: "POST",
      headers: { "webhook-id": id, "content-type": "application/json" },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    dieAt("after", "sending");
    if (response.ok) return { kind: "delivered" };
    const wait = response.headers.get("retry-after");
    const reason = `It answered ${response.status}.`;
    return { kind: "again", reason, arrived: "no", ...(wait !== null && { afterSeconds: Number(wait) }) };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { kind: "again", reason: String(error), ...(isLate ? {} : { arrived: "no" as const }) };
  }
});

process.on("message", async ({ id, tick, die }: Order) => {
  if (die !== undefined) death = die;
  let error: string | null = null;
  try {
    if (tick) {
      await sending.plan();
      while ((await sending.send()) > 0) await sending.idle();
      const faulty = sending.setAside.accounts();
      if (faulty.length > 0) throw new Error(`The plans of accounts failed: ${faulty.join(", ")}. The log says why.`);
    }
  } catch (caught) {
    error = caught instanceof Error ? (caught.stack ?? caught.message) : String(caught);
  }
  process.send?.({ id, error });
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

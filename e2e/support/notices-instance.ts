import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Death } from "./notices-process";
import { findFaketime } from "./programs.mjs";
import { bundled, startReadyProcess } from "./ready-process";

/** An instance of the notices' loop in a process of its own. */
export type Instance = {
  /** Considers what is new and sends what is due. False: the process died of the step that it was told to die at. */
  tick(): Promise<boolean>;
  /** At this step the process, or PostgreSQL, ends with kill -9. Null: it does not. */
  dieAt(death: Death | null): void;
  /** Steps the clock of the process, if it was started with one of its own: "+2h" is two hours ahead of the machine's. */
  setClock(offset: string): void;
  stop(): Promise<void>;
};

/** A fault of the loop fails the tick, after everything else of it was done. With a clock of its own it needs libfaketime. */
export async function startInstance(
  databaseUrl: string,
  receiverUrl: string,
  { hasClock = false } = {},
): Promise<Instance> {
  const dir = mkdtempSync(join(tmpdir(), "console-notices-"));
  const clock = join(dir, "clock");
  writeFileSync(clock, "+0");
  const { child, stop } = await startReadyProcess<string>(
    bundled("e2e/support/notices-process.ts"),
    [databaseUrl, receiverUrl],
    hasClock
      ? {
          LD_PRELOAD: findFaketime() ?? "",
          FAKETIME_TIMESTAMP_FILE: clock,
          FAKETIME_NO_CACHE: "1",
          DONT_FAKE_MONOTONIC: "1",
        }
      : {},
  );
  const exited = once(child, "exit").then(() => "exited" as const);
  let orders = 0;
  let isGone = false;
  return {
    async tick() {
      const id = orders++;
      const answered = new Promise<string | null>((resolve) => {
        const take = (answer: { id: number; error: string | null }) => {
          if (answer.id !== id) return;
          child.off("message", take);
          resolve(answer.error);
        };
        child.on("message", take);
      });
      child.send({ id, tick: true });
      const outcome = await Promise.race([answered, exited]);
      if (outcome === "exited") isGone = true;
      else if (outcome !== null) throw new Error(outcome);
      return !isGone;
    },
    dieAt: (death) => void child.send({ id: orders++, die: death }),
    setClock: (offset) => writeFileSync(clock, offset),
    stop: async () => {
      if (!isGone) await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** "wait": it answers 429 and wants to be left alone for an hour. */
export type Mode = "ok" | "refuse" | "hang" | "late" | "wait";
/** What arrived at a channel. `isConfirmed`: it was answered with 200 in time. */
export type Arrival = { channel: string; id: string; body: string; isConfirmed: boolean };

/** A receiver of webhooks whose channels answer as they are told to. */
export type Receiver = {
  url: string;
  arrivals: Arrival[];
  /** The channel of each request, also of those that it refused. */
  asked: string[];
  /** By the name of the channel; others answer 200. */
  modes: Map<string, Mode>;
  stop(): Promise<void>;
};

/** Longer than the loop of the test waits, in milliseconds. */
const LATE = 1800;

export async function startReceiver(): Promise<Receiver> {
  const [arrivals, asked]: [Arrival[], string[]] = [[], []];
  const modes = new Map<string, Mode>();
  const hanging = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const channel = request.url?.slice(1) ?? "";
    asked.push(channel);
    const mode = modes.get(channel) ?? "ok";
    const arrival = {
      channel,
      id: String(request.headers["webhook-id"]),
      body: Buffer.concat(chunks).toString(),
      isConfirmed: mode === "ok",
    };
    if (mode !== "refuse" && mode !== "wait") arrivals.push(arrival);
    if (mode === "ok") response.end("thanks");
    else if (mode === "refuse") response.writeHead(500).end("<p>no");
    else if (mode === "wait") response.writeHead(429, { "Retry-After": "3600" }).end();
    else if (mode === "late") setTimeout(() => response.end("late"), LATE);
    else hanging.add(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    arrivals,
    asked,
    modes,
    async stop() {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

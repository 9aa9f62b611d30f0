import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { PlainError } from "@/lib/failures";
import { type Running, Supervisor } from "./supervisor";

afterEach(() => vi.useRealTimers());

/** A real process that runs until it is stopped or killed. */
function startProcess(): Running & { kill(): void } {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const exited = once(child, "exit").then(([code, signal]) => String(code ?? signal));
  return {
    exited,
    kill: () => child.kill("SIGKILL"),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** A supervisor, all that it has started, and all that it has said. */
function supervise(start = async () => startProcess()) {
  const first = startProcess();
  const started = [first];
  const lines: string[] = [];
  const restart = async () => {
    const next = await start();
    started.push(next);
    return next;
  };
  const supervisor = new Supervisor(first, restart, (line) => lines.push(line));
  const dieOnce = async () => {
    const count = started.length;
    started.at(-1)?.kill();
    await vi.waitUntil(() => started.length > count, { timeout: 30_000 });
  };
  return { supervisor, started, lines, dieOnce };
}

test("a process that dies is started again, with a line that says how it ended", async () => {
  const { supervisor, started, lines, dieOnce } = supervise();
  await dieOnce();
  expect(lines).toEqual(["The server ended by itself (SIGKILL). It is started again."]);
  expect(started).toHaveLength(2);
  await supervisor.stop();
  expect(await started[1]?.exited).toBe("SIGTERM");
});

test("the fifth death within a minute is the last one", async () => {
  const { supervisor, started, lines, dieOnce } = supervise();
  for (let deaths = 1; deaths < 5; deaths++) await dieOnce();
  started.at(-1)?.kill();
  await expect(supervisor.gaveUp).rejects.toThrow(
    new PlainError("The server ended by itself (SIGKILL), 5 times within a minute. It is not started again."),
  );
  expect(started).toHaveLength(5);
  expect(lines).toHaveLength(4);
});

test("a process that gave up on parts of its own is not started again", async () => {
  const { supervisor, started, lines } = supervise();
  Object.assign(started[0] ?? {}, { hasGivenUp: () => true });
  started[0]?.kill();
  await expect(supervisor.gaveUp).rejects.toThrow(
    new PlainError("The server's workers died again and again. It is not started again."),
  );
  expect(started).toHaveLength(1);
  expect(lines).toEqual([]);
});

test("deaths that lie further apart than a minute are forgotten", async () => {
  const { supervisor, started, dieOnce } = supervise();
  const clock = vi.spyOn(performance, "now");
  for (let death = 0; death < 7; death++) {
    clock.mockReturnValue(death * 16_000);
    await dieOnce();
  }
  clock.mockRestore();
  expect(started).toHaveLength(8);
  await supervisor.stop();
});

test("a start that fails is never repeated, and is the end of it", async () => {
  let starts = 0;
  const { supervisor, started } = supervise(async () => {
    starts++;
    throw new PlainError("The port is taken.");
  });
  started[0]?.kill();
  await expect(supervisor.gaveUp).rejects.toThrow("The port is taken.");
  expect(starts).toBe(1);
  await supervisor.stop();
});

test("an end that was announced, as when Ctrl-C reaches the process as well, is no death", async () => {
  const { supervisor, started, lines } = supervise();
  supervisor.expectEnd();
  started[0]?.kill();
  await started[0]?.exited;
  await supervisor.stop();
  expect(started).toHaveLength(1);
  expect(lines).toEqual([]);
});

test("what is stopped while it is being started again is stopped, too, and not started anew", async () => {
  const { supervisor, started, lines } = supervise(async () => startProcess());
  started[0]?.kill();
  await vi.waitUntil(() => lines.length === 1);
  await supervisor.stop();
  expect(started).toHaveLength(2);
  expect(await started[1]?.exited).toBe("SIGTERM");
});

import { afterEach, expect, test, vi } from "vitest";
import { HeldBytes } from "@/lib/admission/bodies";
import { SECOND } from "@/lib/format/time";
import { receive, utf8 } from "./bounded-body";

const KB = 1024;
const LIMIT = KB;
const LARGE = 1024 * KB;

/** A request whose body comes as these chunks, and then ends, fails or never does. */
function sent(chunks: string[], end: "end" | "fail" | "hang" = "end", headers: Record<string, string> = {}) {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) controller.enqueue(Buffer.from(chunk, "latin1"));
      else if (end === "end") controller.close();
      else if (end === "fail") controller.error(new Error("aborted"));
    },
    cancel() {
      cancelled = true;
    },
  });
  const request = new Request("http://console/", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
    duplex: "half",
  } as RequestInit);
  return { request, wasCancelled: () => cancelled };
}

/** Receives a body as a text, and gives back what it held. */
async function receiveText(request: Request, maxBytes = LIMIT): Promise<string> {
  const held = new HeldBytes(1);
  try {
    return utf8((await receive(request, held, maxBytes)).whole());
  } finally {
    held.release();
  }
}

afterEach(() => vi.useRealTimers());

test("a body up to the limit is read whole, in whatever pieces it comes", async () => {
  const { request } = sent(["{", " ".repeat(LIMIT - 2), "}"]);
  expect(await receiveText(request)).toHaveLength(LIMIT);
});

test("a body is given up at the first byte beyond the limit, and its sender stopped", async () => {
  const { request, wasCancelled } = sent(["x".repeat(LIMIT), "x", "never read"]);
  await expect(receiveText(request)).rejects.toMatchObject({ status: 413 });
  expect(wasCancelled()).toBe(true);
});

test("an announced length beyond the limit is refused without reading", async () => {
  const { request } = sent([], "hang", { "Content-Length": String(LIMIT + 1) });
  await expect(receiveText(request)).rejects.toMatchObject({ status: 413 });
});

test("a body that stops arriving is given up after ten seconds", async () => {
  vi.useFakeTimers();
  const { request, wasCancelled } = sent(["{"], "hang");
  const reading = receiveText(request);
  const refused = expect(reading).rejects.toMatchObject({ status: 408, headers: { Connection: "close" } });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(wasCancelled()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await refused;
  expect(wasCancelled()).toBe(true);
});

/** A body of which 17 KB come at once, and then so many bytes in each second, for a minute. Then it ends, if it `ends`. */
function dripping(aSecond: number, ends: boolean): Request {
  let timer: NodeJS.Timeout;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.alloc(17 * KB));
      let seconds = 0;
      timer = setInterval(() => {
        seconds++;
        if (seconds < 60) controller.enqueue(Buffer.alloc(aSecond));
        else if (ends && seconds === 60) controller.close();
      }, SECOND);
    },
    cancel: () => clearInterval(timer),
  });
  return new Request("http://console/", { method: "POST", body, duplex: "half" } as RequestInit);
}

test("a body over 16 KB that brings less than 1 KB a second for five seconds is given up, and one that brings as much is read", async () => {
  vi.useFakeTimers();
  const honest = receiveText(dripping(KB, true), LARGE);
  const slow = receiveText(dripping(KB - 1, true), LARGE);
  const refused = expect(slow).rejects.toMatchObject({
    status: 408,
    headers: { Connection: "close" },
    message: "The body came with less than 1 KB a second for 5 seconds.",
  });
  let isGivenUp = false;
  void slow.catch(() => (isGivenUp = true));
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  expect(isGivenUp).toBe(false);
  await vi.advanceTimersByTimeAsync(SECOND);
  await refused;
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(await honest).toHaveLength((17 + 59) * KB);
});

test("a large body that was fast for a minute is given up five seconds after it stopped", async () => {
  vi.useFakeTimers();
  const reading = receiveText(dripping(8 * KB, false), LARGE);
  const refused = expect(reading).rejects.toMatchObject({ status: 408 });
  let isGivenUp = false;
  void reading.catch(() => (isGivenUp = true));
  await vi.advanceTimersByTimeAsync(63 * SECOND);
  expect(isGivenUp).toBe(false);
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  await refused;
});

test("a body that breaks off or is no UTF-8 is the sender's fault, not ours", async () => {
  await expect(receiveText(sent(["{"], "fail").request)).rejects.toMatchObject({ status: 400 });
  await expect(receiveText(sent(["\xff\xfe"]).request)).rejects.toMatchObject({ status: 400 });
});

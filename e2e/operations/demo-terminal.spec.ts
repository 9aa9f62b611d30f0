import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, getDataWhenServed, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { expectSteps } from "@/e2e/support/running-command";
import { DIST_DIRS } from "@/scripts/build";

/** Runs a command on a terminal of its own, passes on what it shows, and types Ctrl-C when its own input ends. */
const ON_TERMINAL = `
import os, pty, select, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
listening = [terminal, 0]
while True:
    ready = select.select(listening, [], [])[0]
    if 0 in ready and not os.read(0, 65536):
        listening.remove(0)
        os.write(terminal, b"\\x03")
    if terminal in ready:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        os.write(1, part)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

/** The programs of this machine in a folder, without those named. */
function programsWithout(dir: string, ...left: string[]): string {
  const bin = join(dir, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of readdirSync("/usr/bin")) {
    if (!left.includes(name) && name !== "node") symlinkSync(join("/usr/bin", name), join(bin, name));
  }
  return bin;
}

// `demo.spec.ts` sees its steps elsewhere than on a terminal.
test("npm run demo on a terminal shows numbered, timed steps, then the address", {
  tag: "@waits",
}, async () => {
  needs("python3");
  const dir = mkdtempSync(join(tmpdir(), "console-terminal-"));
  const port = await freePort();
  const command = ["node", "scripts/run.mjs", "demo"];
  const demo = spawn("python3", ["-c", ON_TERMINAL, ...command], {
    env: {
      ...process.env,
      PATH: programsWithout(dir, "curl", "wget"),
      DATABASE_URL: "",
      HOST: "",
      CONSOLE_DIST_DIR: DIST_DIRS.test,
      DATA_DIR: join(dir, "data"),
      PORT: String(port),
    },
  });
  let output = "";
  for (const stream of [demo.stdout, demo.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = once(demo, "exit").then(([code]) => code as number | null);
  try {
    await expect.poll(() => output, SLOW).toContain("Ctrl-C stops everything");
    await expect.poll(() => output, SLOW).toContain('"This machine" is ');
    expect(output).toContain('"This machine" is left out: This needs curl or GNU wget');
    expect(output).not.toContain("is in the fleet");
    const token = /cpat_\w+/.exec(output)?.[0] ?? "";
    const origin = `http://127.0.0.1:${port}`;
    const { servers } = await getDataWhenServed<{ servers: { label: string }[] }>(origin, "/api/v1/servers", token);
    expect(servers.length).toBeGreaterThanOrEqual(6);
    expect(servers.map(({ label }) => label)).not.toContain("This machine");
  } finally {
    demo.stdin.end();
  }
  expect(await ended).toBe(0);
  expectSteps(output, { isTerminal: true });
  const log = readFileSync(join(dir, "data/demo.log"), "utf8").trim().split("\n");
  expect(log.map((line) => JSON.parse(line).event)).toContain("stopped");
  rmSync(dir, { recursive: true });
});

for (const isTerminal of [true, false]) {
  test(`a step of the demo that lasts tells that it goes on, ${isTerminal ? "in a line that moves and is never longer than the terminal is wide" : "in plain lines"}`, {
    tag: "@waits",
  }, async () => {
    needs("python3");
    const script = `
      import { demoStep, say } from "./scripts/demo-steps.mjs";
      import { setTimeout as wait } from "node:timers/promises";
      await Promise.all([
        demoStep("building", () => wait(5200)),
        demoStep("making data", () => wait(1500)).then(() => say("A line of its own.")),
      ]);
      await demoStep("starting", () => Promise.reject(new Error())).catch(() => {});`;
    const command = [process.execPath, "--input-type=module", "-e", script];
    const narrow = ["sh", "-c", 'stty cols 30; exec "$@"', "sh", ...command];
    const [program = "", ...args] = isTerminal ? ["python3", "-c", ON_TERMINAL, ...narrow] : command;
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    await once(child, "close");
    const lines = output.split(/\r?\n|\r/).map((line) => line.replaceAll("\u001b[K", ""));
    const expected = isTerminal
      ? ["2 of 5: building, 0 s", "2 of 5: building, 0 s; 4 of 5", "2 of 5: building, 4 s"]
      : ["2 of 5: building …", "2 of 5: building, 4 s", "4 of 5: making data …"];
    const ends = ["4 of 5: making data: done after 1 s", "A line of its own.", "2 of 5: building: done after 5 s"];
    // A busy machine may be seconds late.
    const asExpected = (line: string) => new RegExp(`^${line.replace(/([145]) s$/, "[$1-9] s")}$`);
    for (const line of [...expected, ...ends, "5 of 5: starting: stopped after 0 s"]) {
      expect(lines).toContainEqual(expect.stringMatching(asExpected(line)));
    }
    if (isTerminal) expect(lines.filter((line) => line.includes(", ")).every((line) => line.length < 30)).toBe(true);
  });
}

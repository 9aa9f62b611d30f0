import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentBench, writeFiles } from "@/e2e/support/agent";
import { agentTest as test } from "@/e2e/support/agent-test";
import { mintToken } from "@/lib/tokens/format";

// How public/agent.sh installs its service beside a systemd that has a history, is old, or has much to say.

/** Installs below this root, where systemctl is a script of sh. */
async function install(bench: AgentBench, root: string, systemctl: string) {
  const console = await bench.startConsole();
  writeFiles(root, { "run/systemd/system/x": "", "etc/systemd/system/x": "" });
  bench.shim("id", "echo 0");
  bench.shim("sleep", "exit 0");
  bench.shim("systemctl", systemctl);
  const variables = { ...bench.machine(), DESTDIR: root };
  const ended = await bench.run(["dash"], ["install", console.origin], `${mintToken("serverKey")}\n`, variables);
  return { origin: console.origin, ...ended };
}

test("install succeeds after one that failed, though systemd still counts its restarts", async ({ bench, expect }) => {
  const [root, count] = [join(bench.dir, "root"), join(bench.dir, "restarts")];
  writeFiles(root, { "run/console-agent/delivered": "" });
  writeFileSync(count, "7");
  const answering = (toReset: string) =>
    `case $1 in reset-failed) ${toReset} ;; show) printf 'SubState=running\\nNRestarts=%s\\n' $(cat ${count}) ;; esac`;
  expect(await install(bench, root, answering(`echo 0 >${count}`))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Installed: this machine reports"),
    stderr: "",
  });
  // systemd refuses to reset a unit that it has not loaded.
  writeFileSync(count, "0");
  expect(await install(bench, root, answering("echo 'Unit not loaded.' >&2; exit 1"))).toMatchObject({
    code: 0,
    stderr: "",
  });
});

test("install tells the agent's own last line, or how its process ended", async ({ bench, expect }) => {
  const said = "agent.sh: The server key that systemd keeps cannot be read.";
  const of = (line: string) => `console-agent.service: ${line}`;
  for (const [n, [lines, told]] of (
    [
      [["Started console-agent.service.", said, of("Main process exited, code=exited, status=1/FAILURE")], said],
      [
        [of("Main process exited, code=exited, status=203/EXEC")],
        of("Main process exited, code=exited, status=203/EXEC"),
      ],
    ] as const
  ).entries()) {
    const after = [of("Failed with result 'exit-code'."), of("Consumed 35ms CPU time, 1.2M memory peak.")];
    writeFileSync(join(bench.dir, "journal"), [...lines, ...after, ""].join("\n"));
    bench.shim("journalctl", `cat ${join(bench.dir, "journal")}`);
    const { code, stderr } = await install(
      bench,
      join(bench.dir, `root${n}`),
      "[ $1 != show ] || echo ActiveState=failed",
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Its log ends with: ${told}\n`)]);
  }
});

test("install ends after the second failed start with systemd's result and a remedy", async ({ bench, expect }) => {
  const shows = join(bench.dir, "shows");
  const never = "was started and has not checked in within 90 seconds; see: journalctl -u console-agent";
  for (const [n, [first, second, looks = 5, told = "does not start"]] of (
    [
      ["NRestarts=0\nSubState=auto-restart", "NRestarts=1\nSubState=auto-restart"],
      ["SubState=running\nNRestarts=1", "ActiveState=failed\nSubState=failed"],
      ["SubState=auto-restart\nStarted=1", "SubState=auto-restart\nStarted=2"],
      ["SubState=start\nNRestarts=1", "NRestarts=2\nSubState=running"],
      ["SubState=running", "SubState=running", 91, never],
    ] as [string, string, number?, string?][]
  ).entries()) {
    const root = join(bench.dir, `root${n}`);
    writeFileSync(shows, "");
    const systemctl = `[ $1 = show ] || exit 0; echo x >>${shows}; n=$(wc -l <${shows}); printf '%s\\n' Result=exit-code ExecMainStatus=243
       [ $n -lt 5 ] && printf '${first.replace("\n", "\\n")}\\n' || printf '${second.replace("\n", "\\n")}\\n'`;
    bench.shim(
      "journalctl",
      "echo 'Failed to set up credentials: Protocol error'; echo \"Failed with result 'exit-code'.\"",
    );
    const { origin, code, stdout, stderr } = await install(bench, root, systemctl);
    expect([code, stdout]).toEqual([1, expect.not.stringContaining("Installed")]);
    expect(stderr).toContain(`The service ${told}`);
    expect(stderr).toContain("exit-code, status 243");
    expect(stderr).toContain("Failed to set up credentials: Protocol error");
    expect(stderr).toContain(`/bin/sh /usr/local/lib/console-agent/agent.sh once ${origin} </etc/console-agent/key`);
    expect(stderr).not.toContain("no server key");
    expect(readFileSync(shows, "utf8").length / 2).toBe(looks);
    expect(readdirSync(join(root, "etc/console-agent"))).toContain("key");
  }
});

test("the service names its folders itself, which systemd before 240 does not", async ({ bench, expect }) => {
  const { stdout } = await bench.run(["dash"], ["unit", "https://console.example.com"]);
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1];
  const [memory, state] = [`/run/${setting("RuntimeDirectory")}`, `/var/lib/${setting("StateDirectory")}`];
  expect(setting("Environment")).toBe(`RUNTIME_DIRECTORY=${memory} STATE_DIRECTORY=${state}`);
});

test("the service reports where its state folder is named and cannot be made", async ({ bench, expect }) => {
  const console = await bench.startConsole();
  const agent = bench.start(["dash"], ["run", console.origin], `${mintToken("serverKey")}\n`, {
    ...{ ...bench.machine(), STATE_DIRECTORY: "/proc/none", RUNTIME_DIRECTORY: bench.memory() },
  });
  await expect.poll(() => console.samples.length).toBeGreaterThan(0);
  await agent.stop();
  expect(agent.stderr()).not.toContain("cannot be made");
});

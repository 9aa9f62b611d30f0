import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT } from "@/e2e/support/agent";
import { newReportingServer } from "@/e2e/support/factories";
import { expect, own, ownFolder, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { startSlowProxy } from "@/e2e/support/slow-proxy";
import { SystemdHost } from "@/e2e/support/systemd-host";
import { createEmptyDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { measurementNames, type StoredSample, storedSampleOf } from "@/lib/servers/telemetry/measurements";
import { DIST_DIRS } from "@/scripts/build";

// The shipped units, started by Debian's systemd.

needs("systemd", "dbus-daemon", "ip", "namespaces");

/** The tests' build, which the checkout keeps beside the one of `npm run build`. */
const BUILD = `CONSOLE_DIST_DIR=${DIST_DIRS.test}`;

/** The folders of docs/install.md and of the version after it, and the commits of their builds. */
const [OLD, NEW] = ["/opt/console-1.0.0", "/opt/console-1.1.0"] as const;
const COMMITS = { [OLD]: "0".repeat(40), [NEW]: "1".repeat(40) } as const;
const UNITS = ["console@3001", "console@3002"] as const;

test("docs/install.md leads to two unprivileged instances that survive kill -9, upgrades and late migrations", async () => {
  needs("curl");
  const database = await own(createEmptyDatabase());
  const dir = ownFolder();
  const shown = Object.entries(COMMITS).flatMap(([folder, commit]) => {
    const info = join(dir, commit);
    writeFileSync(info, JSON.stringify({ version: "1.0.0", commit }));
    return [
      [folder, process.cwd()],
      [`${folder}/${DIST_DIRS.test}/build-info.json`, info],
    ];
  });
  const host = await own(SystemdHost.boot({ "/usr/bin/node": process.execPath, ...Object.fromEntries(shown) }));
  const url = new URL(database.url);
  const way = await own(startSlowProxy(Number(url.port), host.network.outside));
  url.host = `${host.network.outside}:${way.port}`;
  const [, text = ""] = /```sh\n(.*?)```/s.exec(readFileSync("docs/install.md", "utf8")) ?? [];
  const lines = text.trim().split("\n");
  expect(lines).toHaveLength(10);
  const [clone, build, link = "", ...rest] = lines;
  // The checkout is there, and built.
  expect([clone, build]).toEqual([
    `git clone https://git.example.com/console.git ${OLD}`,
    `cd ${OLD} && npm ci --omit=dev && npm run build`,
  ]);
  const run = async (...steps: string[]) => {
    host.write("/root/steps.sh", ["set -e", ...steps].join("\n"));
    const { code, output, errors } = await host.run("sh", "/root/steps.sh");
    expect(code, output + errors).toBe(0);
    return output;
  };
  const typed = rest
    .join("\n")
    .replace("postgresql://console:secret@db.example.com/console'", `${url.href}\n${BUILD}'`);
  expect(typed).toContain(url.href);
  const output = await run(`cd ${OLD}`, link, typed);
  expect(output).toMatch(/^Created ann@example\.com \(id 1, admin\)/m);
  expect(output).toMatch(/\{"status":"ok"\}$/);
  expect((await host.run("stat", "--format=%a %U", "/etc/console.env")).output).toBe("600 root\n");
  for (const unit of UNITS) {
    expect(await host.property(unit, "ActiveState")).toBe("active");
    expect(await host.property(unit, "UnitFileState")).toBe("enabled");
  }
  // The lines wait for the first instance alone.
  for (const port of [13001, 13002])
    await expect
      .poll(async () => (await host.run("curl", "-sS", `http://127.0.0.1:${port}/ops/metrics`)).output)
      .toMatch(new RegExp(`^console_build_info\\{version="[^"]+",commit="${COMMITS[OLD]}"\\}`, "m"));
  const { output: status } = await host.run("cat", `/proc/${await host.property(UNITS[0], "MainPID")}/status`);
  // The range from which systemd takes dynamic users.
  expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).toBeGreaterThanOrEqual(61_184);
  expect(status).toMatch(/^CapBnd:\s+0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(status).toMatch(/^Seccomp:\s+2$/m);

  /** The commits of all starts of an instance, which logs nothing but JSON. */
  const startsOf = async (unit: string) => {
    const { output: log } = await host.run("journalctl", "--output=cat", `_SYSTEMD_UNIT=${unit}.service`);
    const entries = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return entries.filter(({ event }) => event === "starting").map(({ commit }) => commit);
  };
  const restartsOf = async (unit: string) => Number(await host.property(unit, "NRestarts"));
  const kill = async (unit: string) => host.run("kill", "-KILL", await host.property(unit, "MainPID"));
  const becomesReady = async (unit: string) =>
    expect(await run(rest.at(-1)?.replace("3001", unit.slice(-4)) ?? "false")).toMatch(/\{"status":"ok"\}$/);
  await run(`cd ${NEW}`, `export DATABASE_URL=${url.href}`, rest.find((line) => line === "npm run migrate") ?? "false");
  expect(await kill(UNITS[0])).toMatchObject({ code: 0 });
  await expect.poll(() => startsOf(UNITS[0])).toEqual([COMMITS[OLD], COMMITS[OLD]]);
  await becomesReady(UNITS[0]);
  await runSql(database.url, "alter table _prisma_migrations rename to migrations_to_come");
  await kill(UNITS[0]);
  // By default five starts within ten seconds would be all.
  await expect.poll(() => restartsOf(UNITS[0]), SLOW).toBeGreaterThan(6);
  await runSql(database.url, "alter table migrations_to_come rename to _prisma_migrations");
  await becomesReady(UNITS[0]);
  expect(await restartsOf(UNITS[1])).toBe(0);
  await run(link.replace("1.0.0", "1.1.0"));
  for (const unit of UNITS) {
    const before = await startsOf(unit);
    expect(await host.run("systemctl", "restart", unit)).toMatchObject({ code: 0 });
    await becomesReady(unit);
    expect(await startsOf(unit)).toEqual([...before, COMMITS[NEW]]);
    expect(await host.run("systemctl", "stop", unit)).toMatchObject({ code: 0 });
    expect(await host.property(unit, "Result")).toBe("success");
    expect(await host.property(unit, "ExecMainCode")).toBe("1");
    expect(await host.property(unit, "ExecMainStatus")).toBe("0");
    expect(await startsOf(unit)).toHaveLength(before.length + 1);
  }
});

test("the daemon's service measures everything without root, and reports without systemd's credentials", {
  tag: "@waits",
}, async () => {
  needs("curl", "ping");
  const { id, key } = await newReportingServer();
  const host = await own(SystemdHost.boot({ "/root/agent.sh": `${process.cwd()}/${AGENT}` }));
  const way = await own(startSlowProxy(Number(new URL(sharedOrigin()).port), host.network.outside));
  const origin = `http://${host.network.outside}:${way.port}`;
  const tryInstall = () => host.run("sh", "-c", `exec sh /root/agent.sh install ${origin} </root/key`);
  const install = async () => {
    const { code, output } = await tryInstall();
    expect([code, output]).toEqual([0, expect.stringContaining("Installed: this machine reports")]);
  };
  const dropIn = async (folder: string, lines: string) => {
    await host.run("mkdir", "-p", folder);
    host.write(`${folder}/zzz.conf`, `[Service]\n${lines}\n`);
  };
  /** The newest sample, if it was measured after that. */
  const sampleAfter = async (time: Date) => {
    const { sample, sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
    return sample && sampledAt && sampledAt > time ? storedSampleOf(sample as StoredSample, sampledAt.getTime()) : null;
  };
  // Here a ping without CAP_NET_RAW gets no socket, as on Debian 12.
  const { output: groups } = await host.run("cat", "/proc/sys/net/ipv4/ping_group_range");
  expect(groups.trim().split(/\s+/)).toEqual(["1", "0"]);
  await host.run("systemd-run", "--unit=broken", "--wait", "false");
  host.write("/root/key", `${key}\n`);
  await install();
  // A sample of later than this is the service's own: the installer sent one before.
  const installedAt = new Date();

  await expect.poll(async () => (await sampleAfter(installedAt)) !== null, SLOW).toBe(true);
  const sample = await sampleAfter(installedAt);
  for (const name of measurementNames) expect(sample?.[name], name).not.toBeNull();
  const { output: failed } = await host.run("systemctl", "list-units", "--state=failed", "--plain", "--no-legend");
  expect(failed).toContain("broken.service");
  expect(sample).toMatchObject({ netLossPct: 0, failedUnits: failed.trim().split("\n").length });
  const pid = await host.property("console-agent", "MainPID");
  const { output: status } = await host.run("cat", `/proc/${pid}/status`);
  const [, user = ""] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
  expect((await host.run("id", "-nu", user)).output).toBe("console-agent\n");
  // CAP_NET_RAW and nothing else.
  expect(status).toMatch(/^CapBnd:\s+0*2000$/m);

  expect(await host.run("sh", "/root/agent.sh", "uninstall")).toMatchObject({ code: 0 });
  expect(await host.property("console-agent", "LoadState")).toBe("not-found");
  expect((await host.run("find", "/etc", "/usr/local", "/var", "/run", "-name", "console-agent*")).output).toBe("");
  expect(await host.run("id", "console-agent")).toMatchObject({ code: 1 });

  // As LXC, Incus and Proxmox do.
  await dropIn("/run/systemd/system/service.d", "LoadCredential=");
  await install();
  const withoutCredentials = await host.property("console-agent", "MainPID");
  const { output: variables } = await host.run("cat", `/proc/${withoutCredentials}/environ`);
  expect(variables).toContain("STATE_DIRECTORY=");
  expect(variables).not.toContain("CREDENTIALS_DIRECTORY");
  expect((await host.run("stat", "--format=%a %U %G", "/etc/console-agent/key")).output).toBe(
    "640 root console-agent\n",
  );
  // The installer's own check-in was before the service's.
  const { sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
  const newest = async () => (await db.server.findUniqueOrThrow({ where: { id } })).sampledAt;
  await expect.poll(async () => Number(await newest()), SLOW).toBeGreaterThan(Number(sampledAt));

  await dropIn(
    "/etc/systemd/system/console-agent.service.d",
    "ExecStartPre=/bin/sh -c 'echo Nothing to be had here; exit 3'\nRestartSec=1",
  );
  const refused = await tryInstall();
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain("The service does not start");
  expect(refused.errors).toContain("systemd says: exit-code, status ");
  expect(refused.errors).toContain("Nothing to be had here");
  expect(refused.errors).toContain("The console took the key.");
  expect(refused.errors).not.toContain("no server key");
});

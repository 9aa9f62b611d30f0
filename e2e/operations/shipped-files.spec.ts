import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, ownFolder, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { projectFiles } from "@/e2e/support/project-files";
import { VARIABLE_NAMES } from "@/lib/process/env-variables";

// The files of deploy/, each judged by the program that reads it. Docker is not to be had where these tests run: its two
// files are judged by a parser, and what they name must exist.

test("systemd-analyze verify finds nothing to say against deploy/console@.service", () => {
  needs("systemd-analyze");
  const dir = ownFolder();
  const unit = join(dir, "console@3001.service");
  // Node lies where it lies here.
  writeFileSync(unit, readFileSync("deploy/console@.service", "utf8").replace("/usr/bin/node", process.execPath));
  expect(execFileSync("systemd-analyze", ["verify", unit], { encoding: "utf8", stdio: "pipe" })).toBe("");
});

test("haproxy -c finds nothing to say against the configuration in docs/operations.md", () => {
  needs("haproxy");
  const [, shown = ""] =
    /```\n(listen console-postgres\n.*?)```/s.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
  expect(shown).toContain("server db-2");
  // The names of its servers are an example's.
  const input = shown.replace(/db-(\d)\.internal/g, "192.0.2.$1");
  const dir = ownFolder();
  const file = join(dir, "haproxy.cfg");
  writeFileSync(file, input);
  const { status, stdout, stderr } = spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Configuration file is valid");
});

type Service = {
  build?: unknown;
  image?: string;
  mem_limit?: string;
  cpus?: number;
  command?: string[];
  environment?: Record<string, string>;
  read_only?: boolean;
  depends_on?: Record<string, unknown>;
  volumes?: string[];
  logging?: unknown;
};

test("compose.yaml names only what exists and keeps a daily dump for BACKUP_DAYS", () => {
  needs("python3 with yaml");
  const parse = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
  const input = readFileSync("compose.yaml", "utf8");
  const text = execFileSync("python3", ["-c", parse], { input, encoding: "utf8" });
  expect(input).toMatch(/^#\s+docker compose config --lock-image-digests >/m);
  const { services, volumes } = JSON.parse(text) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };
  const { "console-1": first, "console-2": second, migrate, proxy, backup } = services;
  expect(first).toEqual(second);
  expect(first?.read_only).toBe(true);
  for (const name of Object.keys(first?.environment ?? {})) expect(VARIABLE_NAMES).toContain(name);
  expect(migrate?.command).toEqual(["node", "scripts/run.mjs", "migrate"]);
  // Each build makes keys of its own, by which forms of one instance are taken by the others: there is one build for all.
  const consoles = Object.values(services).filter(({ image }) => image === "console-api");
  expect(consoles).toHaveLength(3);
  expect(consoles.filter(({ build }) => build)).toEqual([migrate]);
  expect(backup?.command?.at(-1)).toMatch(/sh \/backup\.sh \/backups \$\$BACKUP_DAYS && sleep 86400 /);
  expect(backup?.environment?.BACKUP_DAYS).toMatch(/^\$\{BACKUP_DAYS:-14\}$/);
  // A variable that must be given would end "docker compose up" on a laptop.
  expect(input).not.toMatch(/\$\{\w+:?\?/);
  for (const [name, { image, mem_limit, cpus }] of Object.entries(services)) {
    if (image !== "console-api") expect(image, name).toMatch(/^[a-z]+:\d+\.\d+(?:\.\d+)?$/);
    expect([mem_limit, cpus], name).toEqual([expect.stringMatching(/^\d+[mg]$/), expect.any(Number)]);
  }
  expect(first?.environment).toMatchObject({ OPS_PORT: "9464", OPS_HOST: "0.0.0.0" });
  for (const { logging } of Object.values(services)) {
    expect(logging).toEqual({ driver: "json-file", options: { "max-size": "20m", "max-file": "5" } });
  }
  for (const service of Object.values(services)) {
    for (const name of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(name);
    for (const [from = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
      expect(from.startsWith("./") ? existsSync(from) : from in volumes, from).toBe(true);
    }
  }
  const caddyfile = readFileSync("deploy/Caddyfile", "utf8");
  for (const name of Object.keys(proxy?.environment ?? {})) expect(caddyfile).toContain(`{$${name}:`);
});

test(".dockerignore keeps no project file out of the image", () => {
  const ignored = readFileSync(".dockerignore", "utf8").split("\n").filter(Boolean);
  expect(ignored).toEqual(expect.arrayContaining([".git", ".env", "node_modules"]));
  const patterns = ignored.map((line) => {
    const path = line.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll("*", "[^/]*");
    return new RegExp(`^${path}(?:/|$)`);
  });
  expect(projectFiles().filter((file) => patterns.some((pattern) => pattern.test(file)))).toEqual([]);
});

/** Of Docker's own list. */
const INSTRUCTION = /^(?:ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|STOPSIGNAL|USER|WORKDIR) \S/;

test("the Dockerfile uses known instructions, two stages, an unprivileged user and a health check", () => {
  const instructions = readFileSync("Dockerfile", "utf8")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of instructions) expect(line).toMatch(INSTRUCTION);
  const stages = instructions.flatMap((line) => /^FROM (\S+)(?: AS (\S+))?$/.exec(line)?.slice(1) ?? []);
  expect(stages).toEqual([stages[0], "build", stages[0], undefined]);
  expect(stages[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/);
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));
  expect(last).toContain("USER nobody");
  expect(last).toContain('CMD ["node", "server/start.mjs"]');
  for (const line of last) {
    const [, json] = /(?:CMD|HEALTHCHECK .*CMD) (\[.*\])$/.exec(line) ?? [];
    if (json) expect(JSON.parse(json)[0]).toBe("node");
  }
});

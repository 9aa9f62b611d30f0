import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { writeArchive } from "./archive";

const COMMITS = ["0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"];

test("builds of two commits have archives of two names, and so have two builds without one, each with its folder of that name", async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-archive-"));
  try {
    const nameOf = async (commit: string | undefined, buildId: string) => {
      const folder = mkdtempSync(join(dir, "package-"));
      mkdirSync(join(folder, ".next"));
      writeFileSync(join(folder, ".next/BUILD_ID"), buildId);
      writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "console-api", version: "1.0.0", commit }));
      const { file } = await writeArchive(folder, dir);
      const name = basename(file, ".tar.gz");
      const paths = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
      expect(paths).toEqual([`${name}/.next/BUILD_ID`, `${name}/package.json`]);
      return name;
    };
    expect(await nameOf(COMMITS[0], "one")).toBe("console-api-1.0.0-0123456789ab");
    expect(await nameOf(COMMITS[1], "one")).toBe("console-api-1.0.0-fedcba987654");
    expect(await nameOf(undefined, "QZ1tTJxnmh8iC_x5x0ZqB")).toBe("console-api-1.0.0-QZ1tTJxnmh8i");
    expect(await nameOf(undefined, "b9gFZlFYbBZ0Vu-Jc2Jnk")).toBe("console-api-1.0.0-b9gFZlFYbBZ0");
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("a link to a folder is a link in the archive, which unpacks to what was packed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-archive-"));
  try {
    const folder = join(dir, "package");
    mkdirSync(join(folder, ".next/node_modules"), { recursive: true });
    mkdirSync(join(folder, "node_modules/pg"), { recursive: true });
    writeFileSync(join(folder, "node_modules/pg/index.js"), "");
    symlinkSync("../../node_modules/pg", join(folder, ".next/node_modules/pg-1"));
    writeFileSync(join(folder, ".next/BUILD_ID"), "one");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "console-api", version: "1.0.0" }));
    const { file } = await writeArchive(folder, dir);
    execFileSync("tar", ["-xzf", file, "-C", dir]);
    const unpacked = join(dir, basename(file, ".tar.gz"), ".next/node_modules/pg-1");
    expect([readlinkSync(unpacked), readdirSync(unpacked)]).toEqual(["../../node_modules/pg", ["index.js"]]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

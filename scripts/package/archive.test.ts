import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

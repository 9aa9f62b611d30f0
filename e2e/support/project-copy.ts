import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "./temp-folder";

// For tests that change a fact and look at what follows: a copy of the project that they may write into, while they last.

const FOLDERS = ["app", "bench", "edge", "lib", "e2e", "prisma", "public", "scripts", "server"];
const FILES = ["package.json", "tsconfig.json", "next.config.mjs", "vitest.config.ts", "prisma.config.ts"];

export class ProjectCopy {
  readonly #dir = tempFolder();

  constructor() {
    for (const name of [...FOLDERS, ...FILES]) {
      cpSync(name, join(this.#dir, name), { recursive: true, filter: (source) => !source.endsWith(".png") });
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(this.#dir, "node_modules"));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#dir, file)), { recursive: true });
    writeFileSync(join(this.#dir, file), text);
  }

  read(file: string): string {
    return readFileSync(join(this.#dir, file), "utf8");
  }

  /** What the type check prints; "" when all is well. A second check looks at changed files only. */
  typeErrors(): string {
    // The types of pages, which do not change with what a test adds.
    if (!existsSync(join(this.#dir, ".next"))) this.run("next/dist/bin/next", "typegen");
    return this.run("typescript/bin/tsc", "--noEmit", "--pretty", "false").stdout;
  }

  /** Runs a program of node_modules in the copy, without the variables of the test runner. */
  run(program: string, ...args: string[]) {
    return spawnSync(process.execPath, [join("node_modules", program), ...args], {
      cwd: this.#dir,
      encoding: "utf8",
      env: { PATH: process.env.PATH, NODE_ENV: "test", DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" },
    });
  }
}

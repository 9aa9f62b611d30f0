import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeClients } from "./documents";

test("the clients that the console serves are those that its document makes; npm run documents writes them", async () => {
  const dir = mkdtempSync(join(tmpdir(), "console-clients-"));
  try {
    await writeClients(dir);
    // The command line is written by hand.
    expect(readdirSync("public/clients").sort()).toEqual(["console", ...readdirSync(dir)].sort());
    for (const file of readdirSync(dir)) {
      expect(readFileSync(join("public/clients", file), "utf8"), file).toBe(readFileSync(join(dir, file), "utf8"));
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";
import { readClaim, tryClaim } from "./pid-file.mjs";

let dir: string;
let file: string;

beforeEach(() => {
  dir = tempFolder();
  file = join(dir, "owner.json");
});

const DEAD = { id: "dead", pid: 2 ** 30, started: null, note: "" };
const write = (claim: object) => writeFileSync(file, JSON.stringify(claim));

test("a file has one owner until its release and carries the owner's note", () => {
  const claim = tryClaim(file);
  claim?.note("here I am");
  expect(tryClaim(file)).toBeNull();
  expect(readClaim(file)).toMatchObject({ pid: process.pid, note: "here I am" });
  claim?.release();
  expect(readClaim(file)).toBeNull();
  tryClaim(file)?.release();
  expect(readdirSync(dir)).toEqual([]);
});

test("a dead process's claim no longer counts, even if its number is reused", () => {
  write(DEAD);
  tryClaim(file)?.release();
  write({ ...DEAD, pid: process.ppid, started: "long ago" });
  expect(tryClaim(file)).not.toBeNull();
});

test.each(["", "1234", "{", '{"pid":1}', "null"])("a file that holds %j is no claim", (text) => {
  writeFileSync(file, text);
  expect(tryClaim(file)).not.toBeNull();
});

test("a claim that was made between two looks is never touched", () => {
  write(DEAD);
  const later = JSON.stringify({ ...DEAD, id: "later", pid: process.ppid });
  const claim = tryClaim(file, () => {
    writeFileSync(file, later);
    return true;
  });
  expect(claim).toBeNull();
  expect(readFileSync(file, "utf8")).toBe(later);
});

test("letting go never removes the claim of a later owner", () => {
  const claim = tryClaim(file);
  write({ ...DEAD, id: "later" });
  claim?.release();
  expect(readClaim(file)?.id).toBe("later");
});

test("of several processes that find a stale claim exactly one takes it over", async () => {
  write(DEAD);
  // Left by a process that died between claiming the right to take over and using it.
  writeFileSync(`${file}.dead`, JSON.stringify({ ...DEAD, id: "alsodead" }));
  const program = `
    import { tryClaim } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "pid-file.mjs")).href)};
    const claim = tryClaim(process.argv[1]);
    process.stdout.write(claim ? "won" : "lost");
    // The winner stays until the others have seen it.
    process.stdin.resume();`;
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", program, file], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const outputs = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0])));
  expect(outputs.toSorted()).toEqual(["lost", "lost", "lost", "lost", "won"]);
  await Promise.all(children.map((child) => [once(child, "close"), child.stdin.end()][0]));
  expect(readdirSync(dir)).toEqual([]);
});

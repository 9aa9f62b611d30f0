import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeLlms } from "./llms";
import { openApiDocument } from "./openapi";
import { writePrometheus } from "./prometheus";
import { writeServedReference } from "./reference";

const ORIGIN = "https://console.example";
test("published text cites no section of the contract, which its readers do not have", async () => {
  const document = openApiDocument(ORIGIN);
  const published = [
    JSON.stringify(document),
    writeServedReference(document, ORIGIN),
    writeLlms(document, ORIGIN),
    await writePrometheus([], []),
    readFileSync("lib/api/prometheus.ts", "utf8")
      .match(/"[A-Z][^"]+\."|`[A-Z][^`]+\.`/g)
      ?.join("\n") ?? "",
    ...filesOf("public").map((file) => readFileSync(file, "utf8")),
  ];
  for (const text of published) expect(text.match(/.{0,40}\b(?:spec|contract|section) \d.{0,20}/i)).toBeNull();
});

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|py|sh|json|md|ya?ml)$/.test(name))
    .map((name) => join(folder, name));
}

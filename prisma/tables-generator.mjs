// A generator for `prisma generate`. It writes the names of tables and columns to a file, because raw SQL needs them at run
// time. Prisma's generator protocol is JSON-RPC, one message a line, with requests on stdin and answers on stderr.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * What PostgreSQL's text of a type is; see `Kind` in lib/database/tables.ts.
 * @type {Readonly<Record<string, string>>}
 */
const KINDS = { DateTime: "instant", Int: "json", BigInt: "json", Float: "json", Json: "json" };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  process.stderr.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) })}\n`);
}

/**
 * @param {string} method
 * @param {any} params
 */
function answer(method, params) {
  if (method === "getManifest") {
    return { result: { manifest: { prettyName: "Tables", defaultOutput: "../lib/generated/tables.ts" } } };
  }
  if (method !== "generate") return { error: { code: -32601, message: `There is no method ${method}.`, data: {} } };
  writeFileSync(params.generator.output.value, tablesFile(params.dmmf.datamodel.models));
  return { result: null };
}

/** @param {{ name: string, dbName: string | null, fields: { name: string, dbName?: string, kind: string, type: string }[] }[]} models */
function tablesFile(models) {
  const tables = models.map(({ name, dbName, fields }) => {
    const columns = fields
      .filter(({ kind }) => kind !== "object")
      .map((field) => [field.name, { name: field.dbName ?? field.name, kind: KINDS[field.type] ?? "other" }]);
    return [name, { name: dbName ?? name, columns: Object.fromEntries(columns) }];
  });
  return `// Written by prisma/tables-generator.mjs from schema.prisma.
export const TABLES = ${JSON.stringify(Object.fromEntries(tables), null, 2)} as const;
`;
}

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PlainError } from "@/lib/failures";

// The tables are described once: in schema.prisma. `npm run renamed-fields` gives each field another name in a copy of the
// project, and the type check must say where it was used; `npm run renamed-fields -- Server.label Ticket.subject` does so
// with these alone. It takes two minutes: run it after a change of the schema or of a query.

const SOURCES = ["app", "lib", "prisma", "server", "prisma.config.ts", "tsconfig.json", "package.json"];
const SCHEMA = "prisma/schema.prisma";

/** What no code reads or writes, and why it is in the schema. */
const UNUSED: ReadonlySet<string> = new Set([
  // Filled in by the database, for whoever looks into the table by hand.
  "Session.createdAt",
]);

type Field = { model: string; name: string };

const nameOf = ({ model, name }: Field) => `${model}.${name}`;

/** @throws PlainError naming each field whose other name went unnoticed, or that is unknown. */
export async function main(wanted: readonly string[]): Promise<void> {
  const schema = readFileSync(SCHEMA, "utf8");
  const fields = chosen(fieldsOf(schema), wanted);
  const copy = copyProject();
  try {
    const broken = errorsOf(copy, schema);
    if (broken) throw new PlainError(`The copy does not compile as it is.\n${broken}`);
    const unnamed = groupsOf(fields).flatMap((group) => {
      const errors = errorsOf(copy, group.reduce(rename, schema));
      return group.filter((field) => !isNamed(errors, field));
    });
    // In one object two wrong names are one error: whatever was not named gets a run of its own, where any error is its.
    const unnoticed = unnamed.filter((field) => !errorsOf(copy, rename(schema, field)));
    if (unnoticed.length > 0) {
      const names = unnoticed.map(nameOf).sort();
      throw new PlainError(`Under another name these still compile, so nothing typed uses them: ${names.join(", ")}.`);
    }
    console.log(`The type check notices another name of each of ${fields.length} fields.`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The wanted ones; all that are used, if none is named. */
function chosen(fields: readonly Field[], wanted: readonly string[]): Field[] {
  const known = new Set(fields.map(nameOf));
  const unknown = [...UNUSED, ...wanted].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new PlainError(`${SCHEMA} has no field ${unknown.join(", ")}.`);
  return fields.filter((field) => (wanted.length > 0 ? wanted.includes(nameOf(field)) : !UNUSED.has(nameOf(field))));
}

/** Without tests: a field that only they use is used by nobody. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "console-renamed-"));
  const isWanted = (path: string) => !path.endsWith(".test.ts") && !path.includes("generated");
  for (const source of SOURCES) cpSync(source, join(copy, source), { recursive: true, filter: isWanted });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  return copy;
}

/** What the type check says of the copy with this schema; empty when all is well. @throws when no client comes of it. */
function errorsOf(copy: string, schema: string): string {
  writeFileSync(join(copy, SCHEMA), schema);
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  const generated = run("node_modules/prisma/build/index.js", "generate");
  if (generated.status !== 0) throw new PlainError(`No client can be generated:\n${generated.stderr}`);
  return run("node_modules/typescript/bin/tsc", "--noEmit").stdout;
}

/** Whether an error is about this very name. No two fields of one name are renamed in one run. */
function isNamed(errors: string, { name }: Field): boolean {
  return new RegExp(`[pP]roperty '${name}' (?:does not exist|is missing)|'${name}' does not exist in type`).test(
    errors,
  );
}

function fieldsOf(schema: string): Field[] {
  return [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].flatMap(([, model = "", body = ""]) =>
    [...body.matchAll(/^ {2}(\w+) +(\w+)/gm)]
      .filter(([, , type = ""]) => !new RegExp(`^model ${type} `, "m").test(schema))
      .map(([, name = ""]) => ({ model, name })),
  );
}

/** As few groups as there are with no name twice in one of them. */
function groupsOf(fields: readonly Field[]): Field[][] {
  const groups: Field[][] = [];
  for (const field of fields) {
    const group = groups.find((others) => others.every(({ name }) => name !== field.name));
    if (group) group.push(field);
    else groups.push([field]);
  }
  return groups;
}

/** The schema with the field, and every mention of it, under another name. */
function rename(schema: string, { model, name }: Field): string {
  const renamed = (list: string) => list.replace(new RegExp(`\\b${name}\\b`, "g"), `${name}Renamed`);
  let inside = "";
  return schema
    .split("\n")
    .map((line) => {
      inside = /^model (\w+)/.exec(line)?.[1] ?? inside;
      let result = line;
      if (inside === model) {
        result = result.replace(new RegExp(`^  ${name} `), `  ${name}Renamed `);
        result = result.replace(/^ {2}@@\w+\(\[.*?\]/, renamed).replace(/fields: \[.*?\]/, renamed);
      }
      return new RegExp(`^  \\w+ +${model}\\b`).test(line) ? result.replace(/references: \[.*?\]/, renamed) : result;
    })
    .join("\n");
}

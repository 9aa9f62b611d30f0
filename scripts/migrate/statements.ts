/** Comments, quoted text, bodies of functions, ends of statements, and everything else. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|[\s\S]/g;

/** The statements of a script, without comments and semicolons. */
export function splitStatements(script: string): string[] {
  const statements = [""];
  for (const [token] of script.matchAll(TOKENS)) {
    if (token === ";") statements.push("");
    else if (!/^(?:--|\/\*)/.test(token)) statements.push(statements.pop() + token);
  }
  return statements.map((statement) => statement.trim()).filter(Boolean);
}

/** What a script does to tables that stand already. */
type Effects = { locks: string[]; indexes: string[]; writes: string[] };

/** Reads from the statements which tables a migration locks, builds an index on, and writes rows of. */
export function effectsOf(script: string): Effects {
  const statements = splitStatements(script);
  const made = new Set(statements.flatMap((statement) => /^create table "?(\w+)/i.exec(statement)?.[1] ?? []));
  const find = (pattern: RegExp) => {
    const names = statements.flatMap((statement) =>
      [...statement.matchAll(pattern)].map(([, ...groups]) => groups.find((name) => name) ?? ""),
    );
    return [...new Set(names)].filter((name) => !made.has(name));
  };
  return {
    locks: find(
      /^(?:alter table|drop table|lock table) (?:only )?"?(\w+)|^create [\s\S]* on "?(\w+)|\breferences "?(\w+)/gi,
    ),
    indexes: find(/^create (?:unique )?index "?\w+"? on "?(\w+)/gi),
    writes: find(/^(?:update|insert into|delete from) "?(\w+)/gi),
  };
}

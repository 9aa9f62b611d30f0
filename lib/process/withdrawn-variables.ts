/** Variables that nothing reads any more, and what stands in their place. */
const WITHDRAWN: Readonly<Record<string, string>> = {
  DATABASE_READ_URL: "history and metrics are read where everything is",
  WORKERS: "an instance is one process, so start several instances instead (docs/install.md)",
};

/** One sentence for each withdrawn variable that is still set. */
export function listWithdrawn(source: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(WITHDRAWN)
    .filter(([name]) => source[name]?.trim())
    .map(([name, instead]) => `${name} is set, and nothing reads it any more: ${instead}.`);
}

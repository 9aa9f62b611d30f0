// Calls functions of lib/ over a database that is not the shared one: the client reads DATABASE_URL when it is loaded, so
// it takes a process of its own. Sent `{ id, module, name, args }`, it answers `{ id, result }` or `{ id, error }`.
process.env.DATABASE_URL = process.argv[2];

type Call = { id: number; module: string; name: string; args: unknown[] };

process.on("message", async ({ id, module, name, args }: Call) => {
  try {
    const loaded = (await import(`../../lib/${module}`)) as Record<string, (...args: unknown[]) => unknown>;
    process.send?.({ id, result: await loaded[name]?.(...args) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.stack : String(error) });
  }
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

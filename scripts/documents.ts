import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedDatabase } from "@/server/embedded/database";
import { fillRegions } from "./client-regions";
import { migrate } from "./database";

type Handler = (request: Request, route: { params: Promise<{ id: string }> }) => Promise<Response>;

/** How many elements of a list an example shows. */
const SHOWN = 2;

const CLIENTS = "public/clients";

/**
 * `npm run documents`: writes the example answers of the document (from the demo) and the clients. Run it after a change of
 * the contract or of the demo.
 */
export async function main(): Promise<void> {
  const database = await startEmbeddedDatabase();
  process.env.DATABASE_URL = database.url;
  await migrate(database.url);
  // Imported late, as in `writeClients`: the database client reads DATABASE_URL when it is loaded.
  const { seedDemo } = await import("@/prisma/demo/seed");
  const { db } = await import("@/lib/database/client");
  const { ENDPOINTS } = await import("@/lib/api/contract");
  const { token } = await seedDemo();

  const examples: Record<string, unknown> = {};
  for (const [path] of ENDPOINTS) {
    // The handler itself, as a plain function: no server, no build.
    const { GET } = (await import(`../app${path.replace(":id", "[id]")}/route.ts`)) as { GET: Handler };
    const id = path.includes("servers") ? "2" : "1";
    const headers = { Authorization: `Bearer ${token}` };
    const request = new Request(`http://console.example${path.replace(":id", id)}`, { headers });
    examples[path] = shorten(await (await GET(request, { params: Promise.resolve({ id }) })).json());
  }
  writeFileSync("lib/api/examples.json", `${JSON.stringify(examples, null, 2)}\n`);
  await writeClients();
  await db.$disconnect();
  await database.stop();
}

/** Writes the clients that the console serves into a folder, with the regions that its document makes. */
export async function writeClients(folder = CLIENTS): Promise<void> {
  const { pythonRegions } = await import("./client-python");
  const { typeScriptRegions } = await import("./client-typescript");
  const { openApiDocument } = await import("@/lib/api/openapi");
  const document = openApiDocument("https://console.example.com");
  mkdirSync(folder, { recursive: true });
  const regions = { "console-api.ts": typeScriptRegions(document), "console_api.py": pythonRegions(document) };
  for (const [name, made] of Object.entries(regions)) {
    writeFileSync(join(folder, name), fillRegions(readFileSync(join(CLIENTS, name), "utf8"), made));
  }
}

/** The same with every list cut short, which keeps it readable. Notes are short as they are. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return typeof value[0] === "string" ? value : value.slice(0, SHOWN).map(shorten);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}

#!/usr/bin/env node
// Stands in for the native schema engine that the `prisma` command would download: the same engine, published by Prisma as
// WebAssembly, spoken to over the same JSON-RPC on stdin and stdout. @prisma/schema-engine-wasm must be the exact build
// that the installed `prisma` names in @prisma/engines-version. Once the command brings such an engine itself
// (prisma/orm#8626), this file can go.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

const PG_CHAR_OID = 18;
const PG_TEXT_OID = 25;
const JSON_RPC_SERVER_ERROR = 4466;

// It ends within seconds: compiling WebAssembly a second time, for speed, would take longer than it saves.
setFlagsFromString("--liftoff-only");

const args = process.argv.slice(2);
const connectionString = JSON.parse(argument("--datasource") ?? "{}").url ?? process.env.DATABASE_URL;

/** @param {string} name */
function argument(name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

/**
 * `cli can-connect-to-database` and `cli create-database`: short runs that answer with their exit code.
 * @param {string | undefined} command
 */
async function runConnectionCommand(command) {
  if (command === "create-database") {
    const target = new URL(connectionString);
    const name = decodeURIComponent(target.pathname.slice(1));
    target.pathname = "/postgres";
    const client = await connectOrExit(target.toString());
    await client.query(`create database ${client.escapeIdentifier(name)}`).catch((error) => exitWith("P1009", error));
    await client.end();
  } else {
    await (await connectOrExit(connectionString)).end();
  }
}

/** @param {string} url */
async function connectOrExit(url) {
  const client = new pg.Client(url);
  await client.connect().catch((error) => exitWith(error.code === "3D000" ? "P1003" : "P1001", error));
  return client;
}

/**
 * @param {string} errorCode
 * @param {Error} error
 */
function exitWith(errorCode, error) {
  // The command skips the first line of stderr, so an empty one goes before the error.
  console.error("{}");
  const fields = { error_code: errorCode, message: error.message, is_panic: false };
  console.error(JSON.stringify({ level: "ERROR", target: "schema_engine::logger", fields }));
  process.exit(1);
}

async function serveJsonRpc() {
  const engine = await loadEngine();
  const send = (/** @type {object} */ message) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (!method) continue; // The command's receipt for a `print`.
    try {
      const result = await Reflect.get(engine, method).call(engine, params);
      // The native engine sends the text of `migrate diff` as a request of its own; this one returns it.
      if (result?.stdout) send({ id: `print-${id}`, method: "print", params: { content: result.stdout } });
      send({ id, result });
    } catch (thrown) {
      const error = /** @type {Error & { code?: string, meta?: unknown }} */ (thrown);
      const data = { is_panic: false, message: error.message, meta: error.meta ?? null, error_code: error.code };
      send({ id, error: { code: JSON_RPC_SERVER_ERROR, message: error.message, data } });
    }
  }
}

async function loadEngine() {
  // The engine reports a panic of its own through this name before it traps.
  const log = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: log } });
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const wasm = readFileSync(entry.replace(/schema_engine\.js$/, "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": bindings });
  bindings.__wbg_set_wasm(instance.exports);
  /** @type {() => void} */ (instance.exports.__wbindgen_start)();

  /** @type {[string, string][]} */
  const datamodels = (argument("--datamodels") ?? "")
    .split(",")
    .filter(Boolean)
    .map((path) => [path, readFileSync(path, "utf8")]);
  const adapters = new CharAwareAdapterFactory({ connectionString });
  // No file is `undefined` to this engine, never an empty list: `migrate diff` names its files in the call.
  const options = { datamodels: datamodels.length > 0 ? datamodels : undefined };
  return bindings.SchemaEngine.new(options, log, bindMigrationAwareSqlAdapterFactory(adapters));
}

/** Describing a schema returns PostgreSQL's "char", which the adapter cannot read and the engine wants as a character. */
class CharAwareAdapterFactory extends PrismaPg {
  /** @override */
  async connect() {
    return runningWholeScripts(readingChar(await super.connect()));
  }

  /**
   * An empty database to compare with. The adapter's own would be the very database that is to be compared.
   * @override
   */
  async connectToShadowDb() {
    const shadow = await createShadowDatabase();
    const adapter = await new CharAwareAdapterFactory({ connectionString: shadow.url }).connect();
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await shadow.remove();
    };
    return adapter;
  }
}

async function createShadowDatabase() {
  const name = `prisma_migrate_shadow_db_${randomUUID()}`;
  const target = new URL(connectionString);
  target.pathname = `/${name}`;
  const url = target.toString();
  await runOnce(connectionString, `create database "${name}"`);
  const remove = () => runOnce(connectionString, `drop database "${name}"`);
  const [{ reached }] = await runOnce(url, "select current_database() as reached");
  if (reached === name) return { url, remove };
  // The embedded database is one database whatever name is asked for; comparing within it would empty it.
  await remove();
  const { register } = await import("tsx/esm/api");
  register();
  const { startEmbeddedDatabase } = await import("../server/embedded/database.ts");
  const embedded = await startEmbeddedDatabase();
  return { url: embedded.url, remove: embedded.stop };
}

/**
 * @param {string} url
 * @param {string} sql
 */
async function runOnce(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/**
 * What the adapter's types keep to themselves.
 * @typedef {{
 *   client: { query(script: string): Promise<unknown> },
 *   onError(error: unknown): never,
 *   executeScript(script: string): Promise<void>,
 *   performIO(query: object): Promise<{ fields?: { dataTypeID: number }[] }>,
 *   queryRaw(query: object): Promise<{ columnTypes: number[] }>,
 * }} Inside
 * @typedef {Awaited<ReturnType<PrismaPg["connect"]>>} Adapter
 */

/** @param {Adapter} given */
function readingChar(given) {
  const adapter = /** @type {Inside} */ (/** @type {unknown} */ (given));
  /** @type {WeakMap<object, number[]>} */
  const charColumns = new WeakMap();
  const performIO = adapter.performIO.bind(adapter);
  adapter.performIO = async (query) => {
    const result = await performIO(query);
    const fields = result.fields ?? [];
    const columns = fields.flatMap(({ dataTypeID }, column) => (dataTypeID === PG_CHAR_OID ? [column] : []));
    charColumns.set(query, columns);
    for (const field of fields) if (field.dataTypeID === PG_CHAR_OID) field.dataTypeID = PG_TEXT_OID;
    return result;
  };
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of charColumns.get(query) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
  return given;
}

/**
 * The adapter cuts scripts at every semicolon, also within the body of a function. PostgreSQL takes them whole.
 * @param {Adapter} given
 */
function runningWholeScripts(given) {
  const adapter = /** @type {Inside} */ (/** @type {unknown} */ (given));
  adapter.executeScript = async (script) => {
    await adapter.client.query(script).catch((error) => adapter.onError(error));
  };
  return given;
}

if (args.includes("cli")) await runConnectionCommand(args.at(-1));
else await serveJsonRpc();
process.exit(0);

// Runs Prisma's schema engine in this process, as the WebAssembly that Prisma publishes. So migrations need no download and
// no `prisma` command.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

const PG_CHAR_OID = 18;
const PG_TEXT_OID = 25;

/** @type {Promise<void> | undefined} */
let loaded;

/** Loads the engine once per process, because its bindings keep views of the first instance's memory. */
async function load() {
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const wasm = readFileSync(entry.replace(/schema_engine\.js$/, "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": bindings });
  bindings.__wbg_set_wasm(instance.exports);
  /** @type {() => void} */ (instance.exports.__wbindgen_start)();
}

/**
 * The engine on a database. Its methods are those of the native engine's JSON-RPC.
 * @param {string} connectionString
 * @param {{ datamodels?: [string, string][], log?: (line: string) => void }} [options] `datamodels`: paths and texts of
 *   schema files
 */
export async function openEngine(connectionString, { datamodels = [], log = () => {} } = {}) {
  // The engine reports a panic of its own through this name before it traps.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: log } });
  loaded ??= load();
  await loaded;

  const adapters = new CharAwareAdapterFactory(connectionString);
  // This engine wants `undefined` instead of an empty list. `migrate diff` names its files in the call.
  const options = { datamodels: datamodels.length > 0 ? datamodels : undefined };
  const engine = await bindings.SchemaEngine.new(options, log, bindMigrationAwareSqlAdapterFactory(adapters));
  const close = async () => {
    engine.free();
    await adapters.dispose();
  };
  return { engine, close };
}

/** Schema queries return PostgreSQL's type "char". The adapter cannot read it, and the engine expects a character. */
class CharAwareAdapterFactory extends PrismaPg {
  #connectionString;
  /** @type {Adapter[]} */
  #opened = [];

  /** @param {string} connectionString */
  constructor(connectionString) {
    super({ connectionString });
    this.#connectionString = connectionString;
  }

  /** @override */
  async connect() {
    const adapter = runningWholeScripts(readingChar(await super.connect()));
    this.#opened.push(adapter);
    return adapter;
  }

  /** Closes every connection. */
  async dispose() {
    await Promise.all(this.#opened.map((adapter) => adapter.dispose()));
  }

  /**
   * An empty database to compare with. The adapter's own would be the very database that is to be compared.
   * @override
   */
  async connectToShadowDb() {
    const shadow = await createShadowDatabase(this.#connectionString);
    const adapter = await new CharAwareAdapterFactory(shadow.url).connect();
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await shadow.remove();
    };
    return adapter;
  }
}

/** @param {string} connectionString */
async function createShadowDatabase(connectionString) {
  const name = `prisma_migrate_shadow_db_${randomUUID()}`;
  const target = new URL(connectionString);
  target.pathname = `/${name}`;
  const url = target.toString();
  await runOnce(connectionString, `create database "${name}"`);
  const remove = () => runOnce(connectionString, `drop database "${name}"`);
  const [{ reached }] = await runOnce(url, "select current_database() as reached");
  if (reached === name) return { url, remove };
  // The embedded database has only one database, whatever the name. Using it as the shadow would empty it.
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

/** @param {Adapter} connected */
function readingChar(connected) {
  const adapter = /** @type {Inside} */ (/** @type {unknown} */ (connected));
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
  return connected;
}

/**
 * The adapter cuts scripts at every semicolon, also within the body of a function. PostgreSQL takes them whole.
 * @param {Adapter} connected
 */
function runningWholeScripts(connected) {
  const adapter = /** @type {Inside} */ (/** @type {unknown} */ (connected));
  adapter.executeScript = async (script) => {
    await adapter.client.query(script).catch((error) => adapter.onError(error));
  };
  return connected;
}

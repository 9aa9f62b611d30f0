#!/usr/bin/env node
// Replaces the native schema engine, which the `prisma` command would download. This is the same engine as WebAssembly, with
// the same JSON-RPC on stdin and stdout. @prisma/schema-engine-wasm must be the exact build
// that the installed `prisma` names in @prisma/engines-version. Once the command brings such an engine itself
// (prisma/orm#8626), this file can go.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import pg from "pg";
import { openEngine } from "./engine.mjs";

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
  /** @type {[string, string][]} */
  const datamodels = (argument("--datamodels") ?? "")
    .split(",")
    .filter(Boolean)
    .map((path) => [path, readFileSync(path, "utf8")]);
  const log = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  const { engine } = await openEngine(connectionString, { datamodels, log });
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

if (args.includes("cli")) await runConnectionCommand(args.at(-1));
else await serveJsonRpc();
process.exit(0);

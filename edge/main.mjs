#!/usr/bin/env node
// An edge node of the console's game protection: drives a HAProxy on this machine. Node 20 or newer and nothing else.
//
//   node edge.mjs haproxy-config [--listen IP:PORT] [--slots N] [--rate N] [--handshakes N]
//       [--connections N] [--run-dir DIR]
//       prints the configuration that HAProxy needs
//   node edge.mjs run URL [--key-file FILE] [--run-dir DIR] [--state-dir DIR] [--listen IP:PORT] [--allow-private]
//       fetches what to protect, applies it, reports what it saw; the node's key comes from --key-file, from the systemd
//       credential "edge-key", or from standard input
//
//   node edge.mjs unit URL [the options of run]
//       prints shell lines that make a systemd unit of "run", and of what it needs under /run
//
// HAProxy runs with one backend per slot, and a slot belongs to one service: a player of one service can never reach the
// origin of another. Everything is applied through HAProxy's socket, without a reload. Packets are counted by nftables.
//
// A node never serves less than before because something failed: the last ip that a name had, and the last version that
// could be served, stay until better ones are there. Only "disabled" and "gone" hold at once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Console } from "./console.mjs";
import { Haproxy } from "./haproxy.mjs";
import { haproxyConfig } from "./haproxy-config.mjs";
import { messageOf, PlainError } from "./log.mjs";
import { Node } from "./node.mjs";
import { run } from "./run.mjs";
import { Store } from "./store.mjs";

const USAGE = `Usage:
  node edge.mjs haproxy-config [--listen IP:PORT] [--slots N] [--rate N] [--handshakes N] [--connections N] [--run-dir DIR]
  node edge.mjs run URL [--key-file FILE] [--run-dir DIR] [--state-dir DIR] [--listen IP:PORT] [--allow-private]
  node edge.mjs unit URL [the options of run]`;

/**
 * Shell lines that write a systemd unit, and what of it /run needs anew whenever the machine starts.
 * @param {string} url
 * @param {ReturnType<typeof readArguments>["values"]} values
 * @throws PlainError for a value that would be more than one word of a unit
 */
function unitLines(url, values) {
  const { listen, "run-dir": runDir, "state-dir": stateDir } = values;
  const options = [url, "--run-dir", runDir, "--state-dir", stateDir, "--listen", listen];
  if (values["allow-private"]) options.push("--allow-private");
  const wrong = options.find((word) => !/^[\w./:*[\]~@+-]+$/.test(word));
  if (wrong !== undefined) throw new PlainError(`"${wrong}" cannot stand in a unit. Write the unit by hand.`);
  const file = (/** @type {string} */ path, /** @type {string[]} */ lines) => [
    `cat > ${path} <<'END'`,
    ...lines,
    "END",
  ];
  const key = values["key-file"] ?? "/etc/console-edge/key";
  if (!/^\/[\w./-]+$/.test(key)) throw new PlainError("--key-file must be a whole path without spaces.");
  return [
    ...file("/etc/systemd/system/console-edge.service", [
      "[Unit]",
      "Description=Edge node of the console",
      "After=network-online.target haproxy.service",
      "Wants=network-online.target",
      "",
      "[Service]",
      `ExecStart=${process.execPath} ${fileURLToPath(import.meta.url)} run ${options.join(" ")}`,
      `LoadCredential=edge-key:${key}`,
      // So often that systemd never gives up on it: HAProxy may be away for longer.
      "Restart=always",
      "RestartSec=5",
      "",
      "[Install]",
      "WantedBy=multi-user.target",
    ]),
    ...file("/etc/tmpfiles.d/console-edge.conf", [
      `d ${runDir} 0755 root root`,
      `f ${join(runDir, "hosts.map")} 0644 root root`,
      `d ${stateDir} 0700 root root`,
    ]),
    "",
  ].join("\n");
}

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readArguments(args);
  const [command, url, ...rest] = positionals;
  const listen = values.listen;
  const listenPort = Number(/:(\d{1,5})$/.exec(listen)?.[1] ?? 0);
  if (!/^[\w.:*[\]]*:\d{1,5}$/.test(listen) || listenPort < 1 || listenPort > 65_535) {
    throw new PlainError(`--listen must be an ip and a port, such as ":25565" or "192.0.2.1:25565", not "${listen}".`);
  }
  if (/\s/.test(values["run-dir"])) throw new PlainError("--run-dir must be a path without spaces.");
  if (command === "haproxy-config" && !url) {
    const slots = wholeNumber("--slots", values.slots, 1, 10_000);
    const rate = wholeNumber("--rate", values.rate, 1, 10_000);
    const handshakes = wholeNumber("--handshakes", values.handshakes, 1, 100_000);
    const connections = wholeNumber("--connections", values.connections, 1, 100_000);
    return print(haproxyConfig({ listen, slots, rate, handshakes, connections, runDir: values["run-dir"] }));
  }
  if ((command !== "run" && command !== "unit") || !url || rest.length > 0) throw new PlainError(USAGE);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new PlainError(`URL must be the console's, such as https://console.example.com, not "${url}".`);
  }
  if (command === "unit") return print(unitLines(url, values));
  const node = new Node({
    haproxy: new Haproxy(values["run-dir"]),
    console: new Console(url, readKey(values["key-file"]), listenPort),
    store: new Store(values["state-dir"]),
    allowPrivate: values["allow-private"],
    listenPort,
  });
  await run(node);
}

/** Writes a text whole: a pipe takes it in parts. @param {string} text @returns {Promise<void>} */
function print(text) {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

/** @param {string[]} args */
function readArguments(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        listen: { type: "string", default: ":25565" },
        slots: { type: "string", default: "256" },
        rate: { type: "string", default: "20" },
        handshakes: { type: "string", default: "100" },
        connections: { type: "string", default: "500" },
        "run-dir": { type: "string", default: "/run/console-edge" },
        "state-dir": { type: "string", default: "/var/lib/console-edge" },
        "key-file": { type: "string" },
        "allow-private": { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new PlainError(`${messageOf(error)}\n${USAGE}`);
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function wholeNumber(name, text, min, max) {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new PlainError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** @param {string | undefined} file */
function readKey(file) {
  const credentials = process.env.CREDENTIALS_DIRECTORY;
  const path = file ?? (credentials ? join(credentials, "edge-key") : 0);
  let key = "";
  try {
    key = readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new PlainError(`The node's key cannot be read: ${messageOf(error)}.`);
  }
  if (!/^cedg_[0-9A-Za-z]{36}$/.test(key)) {
    throw new PlainError(
      "The node's key must begin with cedg_ and have 36 more letters and digits: it looks incomplete.",
    );
  }
  return key;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error) => {
    console.error(error instanceof PlainError ? error.message : error);
    process.exit(1);
  },
);

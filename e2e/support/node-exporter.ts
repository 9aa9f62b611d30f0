import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "./free-port";
import { FACT } from "./patience";

const COLLECTORS = ["cpu", "filesystem", "loadavg", "meminfo", "netstat", "stat", "time", "vmstat"];

/** One reading: the value of a metric, summed over whatever labels it has beside the ones that are named. */
export type Reading = (name: string) => number;

/** Debian's prometheus-node-exporter: a second opinion on what a machine's /proc says. */
export function nodeExporter(): { read(proc: string): Promise<Reading> } {
  return { read };
}

async function read(proc: string): Promise<Reading> {
  const port = await freePort();
  const child = spawn("prometheus-node-exporter", [
    `--web.listen-address=127.0.0.1:${port}`,
    `--path.procfs=${proc}`,
    "--collector.disable-defaults",
    ...COLLECTORS.map((name) => `--collector.${name}`),
  ]);
  const exited = once(child, "exit");
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  try {
    const text = await scrape(`http://127.0.0.1:${port}/metrics`, () => output);
    return (name) => metricOf(text, name);
  } finally {
    child.kill();
    await exited;
  }
}

async function scrape(url: string, output: () => string): Promise<string> {
  for (const end = Date.now() + FACT; Date.now() < end; ) {
    try {
      return await (await fetch(url)).text();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`The exporter does not answer: ${output()}`);
}

function metricOf(text: string, wanted: string): number {
  const [, name, label = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(wanted) ?? [];
  const values = text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || (line.startsWith(`${name}{`) && line.includes(label)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (values.length === 0) throw new Error(`The exporter does not know ${wanted}.`);
  return values.reduce((sum, value) => sum + value, 0);
}

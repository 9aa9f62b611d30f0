import { startNodeExporter } from "./stock-agents";

/** One reading: the value of a metric, summed over whatever labels it has beside the ones that are named. */
export type Reading = (name: string) => number;

/** What Debian's node exporter says of a machine's /proc: a second opinion. */
export async function readExporter(proc: string): Promise<Reading> {
  const exporter = await startNodeExporter(proc);
  try {
    const text = await (await fetch(`http://${exporter.target}/metrics`)).text();
    return (name) => metricOf(text, name);
  } finally {
    await exporter.stop();
  }
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

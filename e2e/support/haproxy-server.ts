import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";

type HaProxy = {
  /** The ports that lead to the first server of each list which answers. */
  ports: number[];
  stop(): Promise<void>;
};

/** One port for each list of ports: connections go to the first that answers, and move when it no longer does. */
export async function startHaProxy(lists: readonly (readonly number[])[]): Promise<HaProxy> {
  const dir = mkdtempSync(join(tmpdir(), "console-haproxy-"));
  const ports: number[] = [];
  for (const _ of lists) ports.push(await freePort());
  const sections = lists.map((list, index) => {
    const servers = list.map(
      (port, place) =>
        `  server s${place} 127.0.0.1:${port} check inter 200 fall 1 rise 1${place > 0 ? " backup" : ""} on-marked-down shutdown-sessions`,
    );
    return `listen l${index}\n  bind 127.0.0.1:${ports[index]}\n${servers.join("\n")}\n`;
  });
  const settings = join(dir, "haproxy.cfg");
  writeFileSync(
    settings,
    `global\n  maxconn 400\ndefaults\n  mode tcp\n  timeout connect 1s\n  timeout client 1h\n  timeout server 1h\n${sections.join("")}`,
  );
  const child = spawn("haproxy", ["-db", "-f", settings], { stdio: "ignore" });
  const remove = () => rmSync(dir, { recursive: true, force: true });
  atExit(() => {
    child.kill("SIGKILL");
    remove();
  });
  return {
    ports,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      remove();
    },
  };
}

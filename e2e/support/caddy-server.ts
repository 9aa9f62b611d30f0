import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";
import { isListening } from "./nginx-server";

/** The configuration that is shipped. */
const SHIPPED = "deploy/Caddyfile";

/** Caddy with the shipped configuration in front of instances on two loopback ports, as the host "localhost". */
export async function startCaddy(instances: readonly number[]) {
  const dir = mkdtempSync(join(tmpdir(), "console-caddy-"));
  const [port, plainPort] = [await freePort(), await freePort()];
  const config = join(dir, "Caddyfile");
  // A certificate of its own making, which no store of this machine learns of.
  const options = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}\n}\n`;
  writeFileSync(config, options + readFileSync(SHIPPED, "utf8"));
  const child = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", config], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      HOME: dir,
      XDG_DATA_HOME: dir,
      XDG_CONFIG_HOME: dir,
      CONSOLE_SITE: "localhost",
      CONSOLE_HOST: "localhost",
      CONSOLE_INSTANCES: instances.map((instance) => `127.0.0.1:${instance}`).join(" "),
    },
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const exited = once(child, "exit");
  const remove = () => rmSync(dir, { recursive: true, force: true });
  atExit(() => {
    child.kill("SIGKILL");
    remove();
  });
  while (!((await isListening(port)) && (await isListening(plainPort)))) {
    if (child.exitCode !== null) throw new Error(`Caddy ended: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    plainPort,
    errors: () => stderr,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      remove();
    },
  };
}

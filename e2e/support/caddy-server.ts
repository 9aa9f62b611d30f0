import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";
import { tryToConnect } from "./try-to-connect";

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
  const { until, stop, output } = startProgram("caddy", ["run", "--adapter", "caddyfile", "--config", config], {
    dir,
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
  await until(async () => {
    const outcomes = await Promise.all([port, plainPort].map((each) => tryToConnect("127.0.0.1", each)));
    return outcomes.every((outcome) => outcome === "connected");
  });
  return { port, plainPort, errors: output, stop };
}

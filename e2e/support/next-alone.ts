import { spawn } from "node:child_process";
import { once } from "node:events";
import { DIST_DIRS } from "@/scripts/build";
import { atExit } from "./at-exit";
import { NO_VARIABLES } from "./console-server";
import { freePort } from "./free-port";

type Alone = { origin: string; stop(): Promise<void> };

/** The build under `next start`, as on a hosting platform: nothing of this project's server stands before it. */
export async function startNextAlone(databaseUrl: string): Promise<Alone> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", String(port)],
    {
      env: {
        ...process.env,
        ...NO_VARIABLES,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        CONSOLE_DIST_DIR: DIST_DIRS.test,
        DATABASE_URL: databaseUrl,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  atExit(() => child.kill("SIGKILL"));
  const ready = new Promise<void>((resolve) =>
    child.stdout.on("data", (text) => String(text).includes("Ready in") && resolve()),
  );
  await Promise.race([ready, exited.then(() => Promise.reject(new Error("next start ended before it was ready.")))]);
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

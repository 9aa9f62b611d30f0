import { DIST_DIRS } from "@/scripts/build";
import { NO_VARIABLES } from "./console-server";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";

type Alone = { origin: string; stop(): Promise<void> };

/** The build under `next start`, as on a hosting platform: nothing of this project's server stands before it. */
export async function startNextAlone(databaseUrl: string): Promise<Alone> {
  const port = await freePort();
  const args = ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", String(port)];
  const { until, output, stop } = startProgram(process.execPath, args, {
    env: {
      ...process.env,
      ...NO_VARIABLES,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      CONSOLE_DIST_DIR: DIST_DIRS.test,
      DATABASE_URL: databaseUrl,
    },
  });
  await until(() => output().includes("Ready in"));
  return { origin: `http://127.0.0.1:${port}`, stop };
}

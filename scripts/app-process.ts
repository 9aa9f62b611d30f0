import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PlainError } from "@/lib/failures";
import { VARIABLE_NAMES } from "@/lib/process/env-variables";
import { listeningOrigin } from "@/lib/process/listening-origin";

const MAX_PORT = 65_535;

export type AppProcess = {
  /** How it ended, once it has: its exit code, or the signal that ended it. */
  exited: Promise<string>;
  /** Lets running requests finish. SIGTERM, the default, also lets load balancers notice; SIGINT ends that wait. */
  stop(signal?: "SIGTERM" | "SIGINT"): Promise<void>;
  /** Where it listens, with the port that was really taken. */
  origin: string;
  port: number;
  child: ChildProcess;
};

export type AppOptions = {
  databaseUrl: string;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  mode: "production" | "development";
  /** The build to serve. */
  distDir: string;
  /** Further variables; they win. */
  variables?: Record<string, string>;
  /** Where its output goes: to this process's own by default. A number is a file descriptor. */
  stdio?: "inherit" | "pipe" | number;
  /** What is started instead of this checkout's server, and as which user. */
  program?: { script?: string; uid?: number; gid?: number };
};

/** Starts the app's server and waits until it answers. @throws PlainError when it cannot start. */
export async function startApp(options: AppOptions): Promise<AppProcess> {
  const stdio = options.stdio ?? "inherit";
  const server = options.mode === "production" ? "server/start.mjs" : "server/development.mjs";
  const { script = server, ...user } = options.program ?? {};
  const child = spawn(process.execPath, [script], {
    ...user,
    stdio: ["ignore", stdio, stdio, "ipc"],
    env: {
      ...process.env,
      ...settings(),
      NODE_ENV: options.mode,
      NEXT_TELEMETRY_DISABLED: "1",
      CONSOLE_DIST_DIR: options.distDir,
      DATABASE_URL: options.databaseUrl,
      HOST: options.host,
      PORT: String(options.port),
      ...options.variables,
    },
  });
  const exited = once(child, "exit").then(([code, signal]) => (signal ? String(signal) : `exit code ${code}`));
  const [answer] = (await Promise.race([once(child, "message"), exited.then(() => [{}])])) as [
    { port?: number; error?: string },
  ];
  if (answer.port === undefined) {
    throw cannotListen(answer.error, options.port, "The server did not start");
  }
  return {
    origin: listeningOrigin(options.host, answer.port),
    port: answer.port,
    child,
    exited,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await exited;
    },
  };
}

/** What to tell somebody of `reason`, which the server gives; a port that is taken has a sentence of its own. */
export function cannotListen(reason: string | undefined, port: number, what: string): PlainError {
  if (reason !== "the port is in use") return new PlainError(`${what}${reason ? `: ${reason}` : ""}.`);
  const other = port < MAX_PORT ? port + 1 : MAX_PORT - 1;
  return new PlainError(`Port ${port} is in use. Choose another one with PORT, for example PORT=${other}.`);
}

/** Every variable, set or empty: Next would fill in an absent one from files that this process has not read. */
function settings(): Record<string, string> {
  return Object.fromEntries(VARIABLE_NAMES.map((name) => [name, process.env[name] ?? ""]));
}

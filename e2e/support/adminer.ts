import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";

/** Where Debian's package has it. */
const SCRIPT = "/usr/share/adminer/adminer.php";

type Adminer = {
  /** The page with this query, redirects followed; with fields, what their form leads to. */
  open(query: Record<string, string>, fields?: Record<string, string>): Promise<string>;
  stop(): Promise<void>;
};

/** Adminer, a database client with a graphical interface, signed in to a database as a person would be. */
export async function startAdminer(host: string, port: number): Promise<Adminer> {
  const folder = mkdtempSync(join(tmpdir(), "console-adminer-"));
  const httpPort = await freePort();
  // Adminer counts sign-ins in upload_tmp_dir, by default /tmp: other runs would use up this one's.
  const settings = ["session.save_path", "upload_tmp_dir"].flatMap((name) => ["-d", `${name}=${folder}`]);
  const child = spawn("php", [...settings, "-S", `127.0.0.1:${httpPort}`, SCRIPT], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  atExit(() => {
    child.kill("SIGKILL");
    remove();
  });
  await started(child);
  const url = `http://127.0.0.1:${httpPort}/`;
  const server = `${host}:${port}`;
  const cookies = new Map<string, string>();

  async function send(target: string, body?: URLSearchParams): Promise<string> {
    const headers = { Cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const init = body ? { method: "POST", body } : {};
    const answer = await fetch(target, { ...init, headers, redirect: "manual" });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    return location ? send(new URL(location, target).href) : answer.text();
  }

  const adminer: Adminer = {
    async open(query, fields) {
      const place = { pgsql: server, username: "postgres", db: "postgres", ns: "public", ...query };
      const target = `${url}?${new URLSearchParams(place)}`;
      const page = await send(target);
      if (!fields) return page;
      const token = /name='token' value='([^']+)'/.exec(page)?.[1] ?? "";
      return send(target, new URLSearchParams({ ...fields, token }));
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      remove();
    },
  };
  const login = { driver: "pgsql", server, username: "postgres", password: "none", db: "postgres" };
  await adminer.open({}, Object.fromEntries(Object.entries(login).map(([name, value]) => [`auth[${name}]`, value])));
  return adminer;
}

async function started({ stderr }: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => stderr?.on("data", (text) => String(text).includes("started") && resolve()));
}

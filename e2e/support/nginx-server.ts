import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";
import { tryToConnect } from "./try-to-connect";

/** The configuration that is shipped. */
const SHIPPED = "deploy/nginx.conf";

/** nginx with the shipped configuration in front of instances on two loopback ports. */
export async function startNginx(instances: readonly number[]) {
  const { dir, port, plainPort } = await writeNginxFiles(instances);
  const args = ["-p", dir, "-c", join(dir, "nginx.conf"), "-e", join(dir, "error.log"), "-g", "daemon off;"];
  const { until, stop } = startProgram("nginx", args, { dir });
  await until(async () => (await tryToConnect("127.0.0.1", port)) === "connected");
  return {
    /** Where it answers HTTPS, with a certificate of its own making. */
    port,
    /** Where it answers plain HTTP. */
    plainPort,
    /** What it has logged of errors and upstreams. */
    errors: () => readFileSync(join(dir, "error.log"), "utf8"),
    stop,
  };
}

async function writeNginxFiles([first, second = first]: readonly number[]) {
  const dir = mkdtempSync(join(tmpdir(), "console-nginx-"));
  const [port, plainPort] = [await freePort(), await freePort()];
  const [certificate, key] = [join(dir, "certificate.pem"), join(dir, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const made = spawnSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", certificate]);
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
  const site = readFileSync(SHIPPED, "utf8")
    .replace("127.0.0.1:3001", `127.0.0.1:${first}`)
    .replace("127.0.0.1:3002", `127.0.0.1:${second}`)
    .replace(/\/etc\/ssl\/\S+\.pem/, certificate)
    .replace(/\/etc\/ssl\/\S+\.key/, key)
    .replace(/^ *listen \[::\].*\n/gm, "")
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace("listen 80;", `listen 127.0.0.1:${plainPort};`);
  writeFileSync(join(dir, "site.conf"), site);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  writeFileSync(
    join(dir, "nginx.conf"),
    // As Debian's own, apart from the folders.
    `user root;
worker_processes auto;
pid ${dir}/nginx.pid;
events { worker_connections 768; }
http {
  access_log ${dir}/access.log;
  ${folders.join("\n  ")}
  include ${dir}/site.conf;
}
`,
  );
  return { dir, port, plainPort };
}

type Sent = Pick<RequestOptions, "protocol" | "method" | "headers" | "agent" | "localAddress"> & {
  body?: string | Uint8Array | undefined;
};

/** Sends one request to a proxy on this machine, over HTTPS unless the protocol is another. */
export async function askThrough(port: number, host: string, path: string, { body, headers, ...init }: Sent = {}) {
  const send = init.protocol === "http:" ? plainRequest : request;
  const to = { host: "127.0.0.1", servername: host, port, path, rejectUnauthorized: false };
  const sent = send({ ...to, ...init, headers: { Host: host, ...headers } });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

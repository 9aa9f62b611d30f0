import { createServer } from "node:http";
import { createClient } from "@redis/client";
import { listen } from "./listen";

/** Upstash's REST protocol in front of a plain Redis, as far as its real client speaks it here. */
export async function startUpstash(redisUrl: string) {
  const token = "test-token";
  const client = createClient({ url: redisUrl, RESP: 2 });
  await client.connect();
  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, { error: "WRONGPASS" });
    const isBase64 = request.headers["upstash-encoding"] === "base64";
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    if (request.url === "/pipeline") {
      return send(200, await Promise.all(body.map((command: unknown[]) => run(command, isBase64))));
    }
    const result = await run(body, isBase64);
    return send("error" in result ? 400 : 200, result);
  });

  async function run(command: unknown[], isBase64: boolean): Promise<{ result: unknown } | { error: string }> {
    try {
      const result = await client.sendCommand(command.map(String));
      return { result: isBase64 ? encode(result) : result };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    token,
    async stop() {
      server.closeAllConnections();
      server.close();
      client.destroy();
    },
  };
}

function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return typeof value === "string" && value !== "OK" ? Buffer.from(value).toString("base64") : value;
}

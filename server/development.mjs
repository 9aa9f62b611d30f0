// Next's development server, for a parent that waits until it listens. It compiles pages and routes when they are asked
// for; nothing of the production server takes part.
import { createServer } from "node:http";
import next from "next";

const hostname = process.env.HOST || "127.0.0.1";
const port = Number(process.env.PORT ?? 3000);
const server = createServer();
const app = next({ dev: true, hostname, port, httpServer: server });
const handle = app.getRequestHandler();
server.on("request", (request, response) => void handle(request, response));
await app.prepare();
server.once("error", ({ message }) => process.send?.({ error: message }, () => process.exit(1)));
server.listen(port, hostname, () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : port });
});
process.once("disconnect", () => process.exit(0));

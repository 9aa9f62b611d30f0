// Answers requests that offer an upgrade (some clients offer HTTP/2) like any other. Node's parser stops after such a
// request and drops the bytes behind it, so the connection is parsed again from that request on.
import { afterAnswers } from "./connections.mjs";

/**
 * Declines every upgrade. Parses the request again without its offer, and then the bytes that follow it.
 * @param {import("node:http").Server} server
 */
export function declineUpgrades(server) {
  server.on("upgrade", (request, socket, head) =>
    afterAnswers(socket, () => {
      if (socket.destroyed) return;
      socket.unshift(Buffer.concat([headWithoutOffer(request), head]));
      server.emit("connection", socket);
    }),
  );
}

/**
 * The bytes of the request line and the headers, without what offers an upgrade.
 * @param {import("node:http").IncomingMessage} request
 */
function headWithoutOffer({ method, url, httpVersion, rawHeaders }) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    const kept = /^connection$/i.test(name) ? withoutUpgrade(value) : value;
    if (!/^upgrade$/i.test(name) && !(kept === "" && value !== "")) lines.push(`${name}: ${kept}`);
  }
  // Node read each byte as one character.
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** @param {string} connection the value of the header */
function withoutUpgrade(connection) {
  const options = connection.split(",").map((option) => option.trim());
  return options.filter((option) => option.toLowerCase() !== "upgrade").join(", ");
}

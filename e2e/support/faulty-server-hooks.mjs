// Puts a throw into the files of the server while Node loads them.

const thrown = (/** @type {string} */ stage, /** @type {string} */ text) =>
  `if (${text}.includes("fault-${stage}")) throw new Error("made to fail: ${stage}");`;

/**
 * By file: the code in front of which a stage fails.
 * @type {Readonly<Record<string, readonly { before: string, code: string }[]>>}
 */
const FAULTS = {
  "server/http/gate.mjs": [
    {
      before: "const { rawHeaders, headers, url",
      // Not a fault: a connection that ends without an answer, as when its process dies.
      code: `if (request.url.includes("fault-reset")) request.socket.destroy();\n${thrown("gate", "request.url")}`,
    },
  ],
  "server/http/pages.mjs": [{ before: "const { headers, method, url", code: thrown("page-gate", "request.url") }],
  "server/http/forms.mjs": [{ before: "const form = { kind, headers", code: thrown("forms", "request.url") }],
  "server/http/kept-pages.mjs": [
    { before: "const page = findPage(path, request);", code: thrown("kept", "request.url") },
  ],
  "server/http/admitted-pages.mjs": [
    { before: 'const isForm = request.method === "POST";', code: thrown("admission", "request.url") },
    { before: "if (answer) await sendBody", code: thrown("page-sending", "String(request.url)") },
  ],
  "server/direct/direct-door.mjs": [{ before: "const { handlers } = match;", code: thrown("door", "request.url") }],
  "server/direct/outgoing.mjs": [{ before: "const sending = {", code: thrown("sending", "request.url") }],
  "server/server.mjs": [
    // Next itself fails in the middle of its answer.
    {
      before: "return handle(request, response);",
      code: `if (request.url.includes("fault-next")) {
        response.statusCode = 200;
        response.setHeader("X-Half", "an answer");
        response.write("half");
        throw new Error("made to fail: next");
      }`,
    },
    { before: "refuse(request, response, 417);", code: thrown("expectation", "request.url") },
  ],
  "server/http/refusals.mjs": [
    { before: "return REQUEST_LINE.exec", code: thrown("bytes", "String(packet)") },
    { before: "const answer = refusalOf(status", code: `if (status === 408) ${thrown("late", "request.url")}` },
  ],
  "server/http/upgrades.mjs": [{ before: "const lines = [", code: thrown("upgrade", "url") }],
};

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const file = Object.keys(FAULTS).find((name) => url.endsWith(`/${name}`));
  if (!file) return loaded;
  let source = String(loaded.source);
  for (const { before, code } of FAULTS[file] ?? []) {
    if (source.split(before).length !== 2) throw new Error(`${file} has not exactly one: ${before}`);
    source = source.replace(before, () => `${code}\n${before}`);
  }
  return { ...loaded, source };
}

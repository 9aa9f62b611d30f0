import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { startConsoleWithBundle } from "@/e2e/support/changed-bundle";
import type { ConsoleServer } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";

// Whatever throws while a request is answered, its client gets an answer. The console of these tests fails where a request
// tells it to.

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FORM = { "Content-Type": "multipart/form-data; boundary=x" };

/** By stage: the code of the bundle in front of which it fails, and a request whose answer fails there. */
type Stage = { before: string; path: string; method?: string; headers?: Record<string, string> };
const STAGES: Readonly<Record<string, Stage>> = {
  gate: { before: "const { headers, rawHeaders } = request;", path: "/api/v1/me" },
  route: { before: "const route = findRoute(path);", path: "/api/v1/me" },
  sending: { before: "const bytes = isCompressed ?", path: "/api/v1/me" },
  "page-gate": { before: "if (DOTS.test(path)", path: "/sign-in" },
  forms: { before: "const body = await readBody({", path: "/sign-in", method: "POST", headers: FORM },
  kept: { before: 'const [path = "", scheme] = key.split(" ");', path: "/" },
  place: { before: "const leave = await enter(kind, asker, gone.signal);", path: "/sign-in" },
  next: { before: "write(collecting).catch(reject);", path: "/sign-in" },
  "page-sending": { before: "const { status, headers, body } = answer;", path: "/sign-in" },
};

/** The bundle in which each stage throws when the URL of the request says so. Next fails in the middle of its answer. */
function withFaults(text: string): string {
  return Object.entries(STAGES).reduce((changed, [stage, { before }]) => {
    const parts = changed.split(before);
    expect(parts, `once in the bundle: ${before}`).toHaveLength(2);
    const url = stage === "page-gate" ? "url" : stage === "sending" ? "response.req.url" : "request.url";
    const half = stage === "next" ? 'collecting.setHeader("X-Half", "an answer"); collecting.write("half");' : "";
    return parts.join(
      `if (${url}.includes("fault-${stage}")) { ${half} throw new Error("made to fail: ${stage}"); }\n${before}`,
    );
  }, text);
}

let app: ConsoleServer;
let token: string;

// With one console for all of them.
test.describe.configure({ mode: "default" });
test.beforeAll(async () => {
  app = await startConsoleWithBundle(String(process.env.DATABASE_URL), withFaults);
  ({ token } = await newAccount());
});
test.afterAll(async () => app?.stop());

for (const [stage, { path, method = "GET", headers }] of Object.entries(STAGES)) {
  test(`a throw in stage "${stage}" answers 500 with the logged id, keeping the connection`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (url: string, verb = "GET", further: Record<string, string> = {}) => {
      const sent = request(app.origin + url, {
        agent,
        method: verb,
        headers: { Authorization: `Bearer ${token}`, ...further },
      });
      sent.end(verb === "POST" ? "--x--\r\n" : undefined);
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      let text = "";
      for await (const chunk of answer) text += chunk;
      return { status: answer.statusCode, headers: answer.headers, text, isReused: sent.reusedSocket };
    };
    const before = app.output().length;
    for (let time = 0; time < 3; time++) {
      const failed = await ask(`${path}?fault-${stage}`, method, headers);
      expect(failed.status).toBe(500);
      expect(failed.isReused).toBe(time > 0);
      const id = String(failed.headers["x-request-id"]);
      expect(id).toMatch(ID);
      expect(failed.headers["cache-control"]).toBe("no-store");
      expect(failed.headers["x-half"]).toBeUndefined();
      if (path.startsWith("/api")) {
        expect(failed.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(JSON.parse(failed.text)).toEqual({ error: "Internal error." });
      } else {
        expect(failed.headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(failed.headers["content-security-policy"]).toContain("default-src 'none'");
        expect(failed.text).toContain("Something went wrong on our side");
        expect(failed.text).toContain(id);
        expect(failed.text).not.toContain("made to fail");
      }
      if (time === 0) await expect.poll(() => app.output().slice(before)).toContain(id);
      expect(await ask("/api/v1/me")).toMatchObject({ status: 200, isReused: true });
    }
    const lines = app.output().slice(before).split("\n");
    const told = lines.filter((line) => line.includes(`made to fail: ${stage}`));
    expect(told, "one line, however often it happens").toHaveLength(1);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: "error", event: "request failed", path, method });
    agent.destroy();
  });
}

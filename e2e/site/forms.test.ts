import { afterAll, expect, test } from "vitest";
import { startConsole } from "@/e2e/support/console-server";
import { exchange } from "@/e2e/support/exchange";
import { newIp } from "@/e2e/support/factories";
import { bodyOfForm, fieldsOfForm, sendFields } from "@/e2e/support/html-form";

// Forms that no page sends, and requests that only the framework sends internally.

// One console for all of them, whose log is read.
const app = await startConsole(String(process.env.DATABASE_URL), { TRUSTED_PROXIES: "1" });
afterAll(() => app.stop());

/** The sign-in form as a browser without JavaScript reads it. */
async function signInFields(): Promise<[string, string][]> {
  const html = await (await fetch(`${app.origin}/sign-in`)).text();
  return fieldsOfForm(html, "Sign in");
}

const headers = (ip = newIp()) => ({ Origin: app.origin, "X-Forwarded-For": ip });

test("a form that no page of the console sends is 400 and logs nothing", async () => {
  const fields = await signInFields();
  const [reference = "", bound = "", state = ""] = fields.map(([name]) => name);
  expect([reference, bound, state]).toEqual([
    expect.stringMatching(/^\$ACTION_REF_\d$/),
    expect.stringMatching(/^\$ACTION_\d:0$/),
    expect.stringMatching(/^\$ACTION_\d:1$/),
  ]);
  const url = `${app.origin}/sign-in`;
  const action = /"id":"([0-9a-f]+)"/.exec(fields[1]?.[1] ?? "")?.[1] ?? "";
  const before = app.output();
  const statusOf = async (body: BodyInit, more: Record<string, string>) =>
    (await fetch(url, { method: "POST", headers: { ...headers(), ...more }, body })).status;
  const multipart = { "Content-Type": "multipart/form-data; boundary=x" };

  for (const body of ["", "rubbish", '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\ncut off']) {
    expect(await statusOf(body, multipart), body).toBe(400);
  }
  for (const type of ["multipart/form-data", "application/x-www-form-urlencoded", "application/json", "text/plain"]) {
    expect(await statusOf("email=a", { "Content-Type": type }), type).toBe(400);
  }
  for (const left of [reference, bound, state]) {
    const rest = fields.filter(([name]) => name !== left);
    expect((await sendFields(url, rest, headers())).status, `without ${left}`).toBe(400);
  }
  const nested = ["[".repeat(7_900), `${"[".repeat(3_900)}${"]".repeat(3_900)}`, `${'{"a":'.repeat(1_300)}1`];
  for (const value of ["", "{", "[]", "null", '"$1"', '["$B1"]', '["$F1"]', '[{"a":"$Q9"}]', ...nested]) {
    for (const name of [bound, state]) {
      expect((await sendFields(url, fields, headers(), { [name]: value })).status, `${name} = ${value}`).toBe(400);
    }
    // Without arguments: what signing out sends.
    if (value === "[]") continue;
    const called = { "Next-Action": action, "Content-Type": "text/plain;charset=UTF-8" };
    expect(await statusOf(value, called), `arguments ${value}`).toBe(400);
  }
  for (const name of [
    "x",
    "a".repeat(39),
    `${action}\t`.repeat(2),
    "../".repeat(14),
    "\u009b31mred",
    `a\u0085b ${"x".repeat(8000)}`,
  ]) {
    expect(await statusOf("[]", { "Next-Action": name, "Content-Type": "text/plain;charset=UTF-8" }), name).toBe(400);
  }
  const unknown = "ab".repeat(21);
  const older = await sendFields(url, fields, headers(), { [bound]: `{"id":"${unknown}","bound":"$@1"}` });
  expect(older.status).toBe(409);
  expect(await statusOf('["$undefined"]', { "Next-Action": unknown, "Content-Type": "text/plain;charset=UTF-8" })).toBe(
    409,
  );
  const broken = `POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
  expect(await exchange(`${broken}Transfer-Encoding: chunked\r\n\r\n2\r\n--\r\nrubbish\r\n`, app.origin)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
  // The arguments belong to another action. The named action refuses them.
  expect(await statusOf('["$undefined"]', { "Next-Action": action, "Content-Type": "text/plain;charset=UTF-8" })).toBe(
    200,
  );
  const lines = app.output().slice(before.length).split("\n").filter(Boolean);
  // Nor does the sweep of its first minute, which no form causes: channels of other tests are sealed with keys of theirs.
  expect(lines.filter((line) => !/"event":"(?:sign-in failed|swept|channels .*)"/.test(line))).toEqual([]);
});

test("a form larger than any of the console's is 413, announced or not", async () => {
  const send = (init: RequestInit) => fetch(`${app.origin}/sign-in`, { method: "POST", headers: headers(), ...init });
  const form = new FormData();
  form.set("email", "x".repeat(20_000));
  expect((await send({ body: form })).status).toBe(413);
  const endless = new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      controller.enqueue(Buffer.alloc(4096, "x"));
    },
  });
  const multipart = { ...headers(), "Content-Type": "multipart/form-data; boundary=x" };
  const streamed = send({ body: endless, headers: multipart, duplex: "half" } as RequestInit);
  expect(
    await streamed.then(
      ({ status }) => status,
      () => "cut off",
    ),
  ).toBe(413);
});

test("a form sent by another site is refused, even with the console's own Origin", async () => {
  const fields = await signInFields();
  for (const site of ["cross-site", "same-site"]) {
    const answer = await sendFields(`${app.origin}/sign-in`, fields, { ...headers(), "Sec-Fetch-Site": site });
    expect(answer.status, site).toBe(403);
  }
  const own = await sendFields(`${app.origin}/sign-in`, fields, { ...headers(), "Sec-Fetch-Site": "same-origin" });
  expect(own.status).toBe(200);
});

test("a form for another Host is refused with both addresses and the remedy", async () => {
  const html = await (await fetch(`${app.origin}/sign-in`)).text();
  const { body, type } = await bodyOfForm(html, "Sign in", {});
  const before = app.output().length;
  // fetch sends a Host of its own.
  const head = `POST /sign-in HTTP/1.1\r\nHost: console.example.com\r\nOrigin: https://console.example.com:8443\r\nConnection: close`;
  const about = `Content-Type: ${type}\r\nContent-Length: ${body.length}`;
  for (let sent = 0; sent < 3; sent++) {
    const answer = await exchange(`${head}\r\n${about}\r\n\r\n${body}`, app.origin);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain("It was sent from https://console.example.com:8443");
    expect(answer).toContain("the console is at https://console.example.com:");
    expect(answer).toContain("BASE_URL=https://console.example.com:8443");
    expect(answer).toContain("proxy_set_header Host $http_host;");
  }
  // No other test has one logged: of a minute there is one line.
  await expect.poll(() => app.output().slice(before)).toContain('"event":"form refused"');
  const lines = app
    .output()
    .slice(before)
    .split("\n")
    .filter((line) => line.includes("form refused"));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    sent_from: "https://console.example.com:8443",
    console_at: "https://console.example.com",
    hint: expect.stringContaining("BASE_URL=https://console.example.com:8443"),
  });
});

test("the logged ip of a form is its sender's, whatever the form claims", async () => {
  const fields = await signInFields();
  const action = /"id":"([0-9a-f]+)"/.exec(fields[1]?.[1] ?? "")?.[1] ?? "";
  for (const [path, more] of [
    ["/sign-in", {}],
    ["/", {}],
    ["/sign-in", { "X-Action-Forwarded": "1" }],
    ["/", { "X-Action-Forwarded": "1", "X-Console-Inner": "guess", "X-Forwarded-Host": "elsewhere.example" }],
  ] as const) {
    const ip = newIp();
    const before = app.output().length;
    const body = new FormData();
    body.append("1_email", "a@example.com");
    body.append("1_password", "x");
    body.append("0", '[null,"$K1"]');
    const called = { ...headers(ip), "Next-Action": action, Accept: "text/x-component", ...more };
    await fetch(app.origin + path, { method: "POST", headers: called, body });
    await expect.poll(() => app.output().slice(before), { message: path }).toContain('"event":"sign-in failed"');
    expect(app.output().slice(before), path).toContain(`"${ip}"`);
  }
});

test("no machinery of the framework answers that no page needs", async () => {
  for (const path of [
    "/_next/image?url=%2Ffavicon.ico&w=64&q=75",
    "/_next/data/build/api/v1/me.json",
    "/_next/data/build/index.json",
    "/_next",
    "/_error",
    "/_not-found",
    "/_global-error",
    "/__nextjs_original-stack-frames",
    "/%5Fnext/image?url=%2Ffavicon.ico&w=64&q=75",
    "//_next/image?url=%2Ffavicon.ico&w=64&q=75",
  ]) {
    const answer = await fetch(app.origin + path);
    expect([answer.status, answer.headers.get("content-type")], path).toEqual([404, "text/html; charset=utf-8"]);
  }
});

test("no other spelling of an endpoint's path goes past the API's own checks", async () => {
  for (const path of [
    ...["/%61pi/v1/me", "/api%2Fv1/me", "/%2Fapi/v1/me", "/api/%76%31/me", "/api/v1%2Fme"],
    ...["/api/v1/me.rsc", "/api/v1/me.segments/_tree.segment.rsc"],
  ]) {
    const answer = await fetch(app.origin + path, { headers: { "x-middleware-prefetch": "1", RSC: "1" } });
    expect([401, 404], path).toContain(answer.status);
    expect(await answer.text(), path).not.toBe("{}");
  }
});

import { once } from "node:events";
import { get } from "node:http";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { type Catcher, MOST_MESSAGES, startCatcher } from "./catcher";

async function newCatcher(): Promise<Catcher> {
  const catcher = await startCatcher();
  onTestFinished(() => catcher.stop());
  return catcher;
}

const post = (url: string, body: string) =>
  fetch(`${url}/hook?a=<b>`, { method: "POST", body, headers: { "webhook-id": "<i>1" } });
const pageOf = async (url: string) => (await fetch(url)).text();

async function mail({ smtpUrl }: Catcher, subject: string, text: string): Promise<unknown> {
  const transport = createTransport(smtpUrl);
  onTestFinished(() => transport.close());
  return transport.sendMail({ from: "a@demo.example", to: "b@demo.example", subject, text });
}

test("mail and webhooks appear on their catcher's page alone, escaped and newest first", async () => {
  const [one, other] = [await newCatcher(), await newCatcher()];
  await mail(one, "Störung", "Störung <script>, see http://localhost:1/a?b=1&c='\"><script>alert(1)</script>");
  expect((await post(one.url, '{"data":{"title":"<b>web"}}')).status).toBe(204);
  const page = await pageOf(one.url);
  expect(page).toMatch(/Webhook: POST \/hook\?a=.*Mail: To: b@demo.example.*Störung &#60;script&#62;/s);
  expect(page).toContain("webhook-id: &#60;i&#62;1");
  expect(page).toContain("    &#34;title&#34;: &#34;&#60;b&#62;web&#34;");
  expect(page).toContain('<a href="http://localhost:1/a?b=1&#38;c=">');
  expect(page).not.toContain("<script>");
  expect(page).not.toContain("<b>");
  expect(await pageOf(other.url)).toContain("Nothing has arrived yet.");
});

test("the newest messages are kept, and a name from elsewhere is not answered", async () => {
  const { url } = await newCatcher();
  for (let i = 0; i <= MOST_MESSAGES; i++) expect((await post(url, `"message ${i}."`)).status).toBe(204);
  const page = await pageOf(url);
  expect(page.match(/<article/g)).toHaveLength(MOST_MESSAGES);
  expect(page).not.toContain("message 0.");
  const [elsewhere] = await once(get(url, { headers: { Host: "elsewhere.example" } }), "response");
  expect(elsewhere.statusCode).toBe(421);
});

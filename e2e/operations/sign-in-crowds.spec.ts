import { randomBytes } from "node:crypto";
import { attack, crowdedConsole, ROUNDS } from "@/e2e/support/crowds";
import { newAccount, PASSWORD, unique } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { sendFields } from "@/e2e/support/pages";

// Many networks sign in at once, and somebody elsewhere still can.

const { running, send } = crowdedConsole();

/** Loads the form, and answers what sends it. */
async function openSignIn() {
  const fields = fieldsOfForm(await (await send("/sign-in", {})).text(), "Sign in");
  const { origin } = running.app;
  return (email: string, password: string, ip: string) =>
    sendFields(`${origin}/sign-in`, fields, { Origin: origin, "X-Forwarded-For": ip }, { email, password });
}

test("a site with too many networks blocks nobody elsewhere from public pages and sign-in", async () => {
  const [owner, site] = [await newAccount(), `2001:db8:${randomBytes(2).toString("hex")}`];
  const signIn = await openSignIn();
  const from = (n: number) => `${site}:${(256 * n).toString(16)}::1`;
  const crowds = [
    attack(250, (n) => [signIn(`${unique("nobody")}@example.com`, "wrong password", from(n % 250))]),
    attack(250, (n, round) => [send(`/sign-in?next=/${n}-${round}`, { "X-Forwarded-For": from(n % 250) })]),
  ];
  await Promise.all([crowds[0]?.untilRefused(429), crowds[1]?.untilRefused()]);
  for (let round = 0; round < ROUNDS; round++) {
    const elsewhere = { "X-Forwarded-For": `2001:db8:fffe:${round}::1` };
    expect((await send(`/sign-in?next=/elsewhere-${round}`, elsewhere)).status).toBe(200);
    expect((await signIn(owner.email, PASSWORD, `2001:db8:ffff:${round}::1`)).status).toBe(303);
  }
  const turnedAway = async () => (await signIn("nobody@example.com", "wrong password", from(1))).text();
  await expect.poll(turnedAway).toContain("Nobody was signed in. Try again in a few seconds.");
  const [forms = []] = await Promise.all(crowds.map((crowd) => crowd.stop()));
  for (const { status, retryAfter } of forms) {
    expect([200, 429]).toContain(status);
    if (status === 429) expect(retryAfter).toMatch(/^[1-5]$/);
  }
});

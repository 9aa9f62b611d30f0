import { newAccount, newIp, PASSWORD, unique } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { fieldsOfForm, sendFields } from "@/e2e/support/html-form";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { hashPassword } from "@/lib/accounts/passwords";

const ROUNDS = 12;

test("a refusal's time reveals neither an account's existence nor its state", {
  tag: "@waits",
}, async () => {
  const passwordHash = await hashPassword(PASSWORD);
  const known = await newAccount("customer", { passwordHash });
  const disabled = await newAccount("customer", { passwordHash });
  await setAccountDisabled(disabled.email, true);
  const withoutPassword = await newAccount("customer", { passwordHash: null });
  const attempts = {
    "unknown e-mail": { email: `${unique("nobody")}@example.com`, password: PASSWORD },
    "wrong password": { email: known.email, password: "a wrong password" },
    "disabled account": { email: disabled.email, password: PASSWORD },
    "account without a password": { email: withoutPassword.email, password: PASSWORD },
  };
  const url = `${sharedOrigin()}/sign-in`;
  const fields = fieldsOfForm(await (await fetch(url)).text(), "Sign in");

  const times = new Map<string, number[]>(Object.keys(attempts).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    // Interleaved, so that whatever else the machine does falls on all of them.
    for (const [name, changes] of Object.entries(attempts)) {
      const headers = { Origin: new URL(url).origin, "X-Forwarded-For": newIp() };
      const start = performance.now();
      const answer = await (await sendFields(url, fields, headers, changes)).text();
      times.get(name)?.push(performance.now() - start);
      expect(answer).toContain("Wrong e-mail or password.");
    }
  }
  const medians = Object.fromEntries([...times].map(([name, values]) => [name, medianOf(values)]));
  const [fastest, slowest] = [Math.min(...Object.values(medians)), Math.max(...Object.values(medians))];
  expect(slowest / fastest, JSON.stringify(medians)).toBeLessThan(2);
});

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

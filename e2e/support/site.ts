import { expect } from "vitest";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { ago, newAccount, newGameService, newNamedToken, newServer, PASSWORD } from "./factories";
import { origin } from "./over-http";
import { Visitor } from "./visitor";

/** Somebody who is signed in, in a browser without JavaScript, without tokens. */
export async function newVisitor(...of: Parameters<typeof newAccount>) {
  const account = await newAccount(...of);
  await db.accessToken.deleteMany({ where: { accountId: account.id } });
  return { account, page: await Visitor.signedIn(origin, account.id) };
}

/** Somebody who is signed in, and what is made for their account. */
const visitorWith =
  <Args extends unknown[], Made>(make: (accountId: number, ...args: Args) => Promise<Made>) =>
  async (...args: Args) => {
    const { account, page } = await newVisitor();
    return { account, page, ...(await make(account.id, ...args)) };
  };
export const visitorWithServer = visitorWith(newServer);
export const visitorWithService = visitorWith(newGameService);
export const visitorWithToken = visitorWith(newNamedToken);

/** The password of every session of the account was typed two hours ago. */
export async function letPasswordAge(accountId: number): Promise<void> {
  await db.session.updateMany({ where: { accountId }, data: { authenticatedAt: ago(2 * HOUR) } });
}

/** Creates a token on the token page, which must be open, and answers the value that the page shows. */
export async function createToken(page: Visitor, name: string, choices: Record<string, string> = {}): Promise<string> {
  await page.press("Create token", { Name: name, ...choices });
  const raw = page.value("Token");
  expect(raw).toMatch(/^cpat_[0-9A-Za-z]{36}$/);
  return raw;
}

/** Signs in on the page that asks for it, which must be open. */
export async function signIn(page: Visitor, email: string, password = PASSWORD): Promise<void> {
  await page.press("Sign in", { "E-mail": email, Password: password });
}

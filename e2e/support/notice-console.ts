import { randomBytes } from "node:crypto";
import { db } from "@/lib/database/client";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { startConsole } from "./console-server";
import { newAccount } from "./factories";
import { startMailServer } from "./receivers";
import { type Part, Visitor } from "./visitor";

/** A console that sends notices: mail to a real mail server on loopback, which refuses addresses that begin with "refused-". */
export async function startNoticeConsole() {
  const mail = await startMailServer({
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith("refused-") ? Object.assign(new Error("later"), { responseCode: 451 }) : null),
  });
  const key = randomBytes(32).toString("base64");
  const app = await startConsole(String(process.env.DATABASE_URL), {
    TRUSTED_PROXIES: "1",
    NOTICE_KEY: key,
    SMTP_URL: mail.url,
    MAIL_FROM: "notices@example.com",
    PRIVATE_WEBHOOKS: "allow",
  });
  return {
    ...app,
    /** Its NOTICE_KEY. */
    key,
    mailsTo: (email: string) => mail.mails.filter(({ to }) => to.includes(email)),
    /** The page that a mail leads to, on this console. */
    linkIn(text: string | undefined): string {
      const [, path = ""] = /http:\/\/127\.0\.0\.1:\d+(\/notices\/\S+)/.exec(text ?? "") ?? [];
      return app.origin + path;
    },
    /** Somebody who is signed in there, in a browser without JavaScript. */
    async newReader() {
      const account = await newAccount();
      return { account, page: await Visitor.signedIn(app.origin, account.id) };
    },
    async stop() {
      await app.stop();
      await mail.stop();
    },
  };
}

const ADD = { Mail: "Add the e-mail", Webhook: "Add the webhook", Discord: "Add the Discord channel" } as const;

/** Adds a channel on the page of notices. */
export async function addChannel(page: Visitor, kind: keyof typeof ADD, target: string, name = ""): Promise<void> {
  await page.goto(NOTICE_PAGE);
  const form = page.part(ADD[kind]);
  form.find("[name=target]").attr("value", target);
  form.find("[name=name]").attr("value", name);
  await page.press(ADD[kind], {}, { within: form });
}

/** The channel of this name. @throws when the page has none */
export function card(page: Visitor, name: string): Part {
  const found = page.$("article").filter((_, one) => page.textOf(page.$(one).find("h3")) === name);
  if (found.length !== 1) throw new Error(`The page has ${found.length} channels named ${name}: ${page.text}`);
  return found;
}

/** Whether a channel is on. */
export const badgeOf = (page: Visitor, name: string): string => page.textOf(card(page, name).find(".badge").first());

/** Presses a button of a channel on the page of notices as it is now. */
export async function pressOn(page: Visitor, name: string, button: string, choices = {}): Promise<void> {
  await page.goto(NOTICE_PAGE);
  await page.press(button, choices, { within: card(page, name) });
}

/** What the page says of a channel, read anew. */
export async function saidOf(page: Visitor, name: string): Promise<string> {
  await page.goto(NOTICE_PAGE);
  return page.textOf(card(page, name));
}

/** Of the test's own account alone. */
export const onlyChannel = (accountId: number) => db.noticeChannel.findFirstOrThrow({ where: { accountId } });

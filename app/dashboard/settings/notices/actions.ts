"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { type FormAnswer, refused } from "@/app/dashboard/form-answer";
import { idIn, textOf } from "@/lib/http/form-fields";
import { askForConfirmation } from "@/lib/notices/confirmation";
import { NOTICE_KINDS, RECOVERED, SHARED } from "@/lib/notices/kinds";
import {
  CHANNEL_KINDS,
  createChannel,
  endOldSecret,
  removeChannel,
  renameChannel,
  rotateSecret,
  switchChannel,
} from "@/lib/notices/management";
import { saveChoices } from "@/lib/notices/settings";
import { MAX_TESTS, sendTest } from "@/lib/notices/testing";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { reportEvent, requireAccount } from "@/lib/sign-in/sessions";
import type { AddChannelAnswer, NewSecretAnswer, RulesAnswer } from "./form-answers";

const GONE = "Nothing was changed: this channel no longer exists.";

/** Adds a channel. Only the answer to this request contains the secret of a webhook. */
export async function addChannelAction(_: unknown, form: FormData): Promise<AddChannelAnswer> {
  const { id: accountId } = await requireAccount();
  const kind = CHANNEL_KINDS.find((one) => one === textOf(form, "kind")) ?? "mail";
  const [name, target] = [textOf(form, "name"), textOf(form, "target")];
  const result = await createChannel(accountId, { kind, name, target, formNonce: textOf(form, "formNonce") });
  if (result.kind === "invalid") {
    // The address of a webhook is a secret: what was typed stays in the browser and is not sent back.
    return refused(result.message, result.field, { name, target: kind === "mail" ? target : "" });
  }
  if (result.kind === "already-created") return done("already-added");
  await reportEvent("notice channel added", { accountId, reason: kind });
  if (result.secret !== null) {
    revalidatePath(NOTICE_PAGE);
    return { kind: "secret", name: result.name, secret: result.secret };
  }
  return done(kind === "mail" ? "asked" : "added");
}

/** Sends the mail that asks for a confirmation once more. */
export async function askAgainAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  const asked = await askForConfirmation(accountId, idIn(form));
  if (asked === "too-many") return refused("Ten such mails were sent for you within a day. Try again tomorrow.");
  if (asked === "not-found")
    return refused("Nothing was sent: this e-mail is confirmed already, or its channel is gone.");
  return done("asked");
}

/** Sends a test by a channel. */
export async function sendTestAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  const result = await sendTest(accountId, idIn(form));
  if (result === "too-many") return refused(`You can send ${MAX_TESTS} tests in an hour. Wait a little.`);
  if (result === "not-on") return refused("Nothing was sent: this channel is off, or its e-mail is not confirmed.");
  return result === "sent" ? done("tested") : refused(GONE);
}

/** Gives a channel another name. */
export async function renameChannelAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  const name = textOf(form, "name");
  const result = await renameChannel(accountId, idIn(form), name);
  if (result.kind === "invalid") return refused(result.message, "name", { name });
  return result.kind === "renamed" ? done("renamed") : refused(GONE);
}

/** Turns a channel on or off. */
export async function switchChannelAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  const isOn = textOf(form, "to") === "on";
  await switchChannel(accountId, idIn(form), isOn);
  return done(isOn ? "on" : "off");
}

/** Gives a webhook a new secret beside its old one. Only the answer to this request contains it. */
export async function rotateSecretAction(_: unknown, form: FormData): Promise<NewSecretAnswer> {
  const { id: accountId } = await requireAccount();
  const secret = await rotateSecret(accountId, idIn(form));
  if (secret === null) return refused(GONE);
  await reportEvent("notice secret replaced", { accountId });
  return { kind: "secret", secret };
}

/** Ends the old secret of a webhook. */
export async function endOldSecretAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  return (await endOldSecret(accountId, idIn(form))) ? done("secret-ended") : refused(GONE);
}

/** Removes a channel. */
export async function removeChannelAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAccount();
  if (await removeChannel(accountId, idIn(form))) {
    await reportEvent("notice channel removed", { accountId });
  }
  return done("removed");
}

/** Stores which notices the account gets, and its quiet hours, in the zone in which its pages write times. */
export async function saveRulesAction(_: unknown, form: FormData): Promise<RulesAnswer> {
  const account = await requireAccount();
  const kinds = Object.keys(NOTICE_KINDS);
  const typed = {
    on: Object.fromEntries([...kinds, RECOVERED, SHARED].map((kind) => [kind, form.has(`on-${kind}`)])),
    minutes: Object.fromEntries(kinds.map((kind) => [kind, textOf(form, `minutes-${kind}`, 8)])),
    quietFrom: textOf(form, "quietFrom", 8),
    quietTo: textOf(form, "quietTo", 8),
  };
  const result = await saveChoices(account.id, typed, account.timeZone);
  if (result.kind === "invalid") return { ...result, typed };
  revalidatePath(NOTICE_PAGE);
  return result;
}

function done(what: string): never {
  redirect(`${NOTICE_PAGE}?done=${what}`);
}

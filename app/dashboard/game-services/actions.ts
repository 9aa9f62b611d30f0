"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { type FormAnswer, refused } from "@/app/dashboard/form-answer";
import {
  allowSupport,
  closeServiceTicket,
  openServiceTicket,
  shareService,
  unshareService,
} from "@/lib/game-services/access";
import {
  type ChangeServiceResult,
  createService,
  deleteService,
  editService,
  retryService,
  setOfflineText,
  setRealIps,
  setServiceWish,
} from "@/lib/game-services/management";
import { originDoubt } from "@/lib/game-services/origin-doubt";
import type { ServiceInput, ServiceRules } from "@/lib/game-services/service-input";
import { idIn, textOf } from "@/lib/http/form-fields";
import { ownHosts } from "@/lib/http/own-origin";
import { GAME_SERVICES, serviceAccessPath, servicePath } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import { reportEvent, requireAccount } from "@/lib/sign-in/sessions";

/** Creates a game service and goes to its page. */
export async function createServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const input = inputOf(form);
  const question = await questionOf(account.id, null, input, form);
  if (question) return question;
  const result = await createService(account.id, { ...input, formNonce: textOf(form, "formNonce") }, await rules());
  if (result.kind === "created") {
    await reportEvent("game service created", { accountId: account.id, serviceId: result.id });
    redirect(`${servicePath(result.id)}?done=created`);
  }
  if (result.kind === "already-created") redirect(servicePath(result.id));
  return refused(result.message, result.field, input);
}

/** Changes the game service of the form and goes to its page. */
export async function editServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const input = inputOf(form);
  const question = await questionOf(account.id, id, input, form);
  if (question) return question;
  return answerChange(await editService(account.id, id, input, await rules()), id, "changed", input);
}

/** Turns the game service of the form on or off. */
export async function setServiceWishAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const wish = textOf(form, "wish") === "off" ? "off" : "on";
  return answerChange(await setServiceWish(account.id, id, wish), id, wish === "on" ? "enabled" : "disabled");
}

/** Has the origin of the game service of the form told the ips of players, or no longer. */
export async function setRealIpsAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const isOn = textOf(form, "realIps") === "on";
  return answerChange(await setRealIps(account.id, id, isOn), id, isOn ? "real-ips-on" : "real-ips-off");
}

/** Changes what players of the game service of the form read while its origin is away. */
export async function setOfflineTextAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const offlineText = textOf(form, "offlineText");
  return answerChange(await setOfflineText(account.id, id, offlineText), id, "text", { offlineText });
}

/** Has the game service of the form rolled out once more. */
export async function retryServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  return answerChange(await retryService(account.id, id), id, "retried");
}

/** Deletes the game service of the form, whose name was typed, and goes to the list. */
export async function deleteServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const name = textOf(form, "name");
  const result = await deleteService(account.id, id, name);
  if (result.kind === "changed") {
    await reportEvent("game service deleted", { accountId: account.id, serviceId: id });
    redirect(`${GAME_SERVICES}?done=deleted`);
  }
  return answerChange(result, id, "unchanged", { name });
}

/** Shares the game service of the form with an e-mail. */
export async function shareServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const email = textOf(form, "email");
  const result = await shareService(account.id, id, email);
  if (result.kind === "not-found") redirect(`${GAME_SERVICES}?done=unchanged`);
  if (result.kind === "invalid") return refused(result.message, result.field, { email });
  await reportEvent("game service shared", { accountId: account.id, serviceId: id });
  redirect(`${serviceAccessPath(id)}?done=shared`);
}

/** Stops sharing the game service of the form with an e-mail. */
export async function unshareServiceAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  if (!(await unshareService(account.id, id, textOf(form, "email")))) redirect(`${GAME_SERVICES}?done=unchanged`);
  await reportEvent("game service unshared", { accountId: account.id, serviceId: id });
  redirect(`${serviceAccessPath(id)}?done=unshared`);
}

/** Allows or forbids staff to see the game service of the form. */
export async function allowSupportAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const isAllowed = textOf(form, "allow") === "yes";
  if (!(await allowSupport(account.id, id, isAllowed))) redirect(`${GAME_SERVICES}?done=unchanged`);
  await reportEvent(isAllowed ? "support access allowed" : "support access ended", {
    accountId: account.id,
    serviceId: id,
  });
  redirect(`${serviceAccessPath(id)}?done=${isAllowed ? "support-on" : "support-off"}`);
}

/** Opens a ticket about the game service of the form. */
export async function openTicketAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const subject = textOf(form, "subject");
  const result = await openServiceTicket(account.id, id, subject);
  if (result.kind === "not-found") redirect(`${GAME_SERVICES}?done=unchanged`);
  if (result.kind === "invalid") return refused(result.message, result.field, { subject });
  redirect(`${serviceAccessPath(id)}?done=ticket-opened`);
}

/** Closes a ticket about the game service of the form. */
export async function closeTicketAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const isClosed = await closeServiceTicket(account.id, id, idIn(form, "ticketId"));
  redirect(`${serviceAccessPath(id)}?done=${isClosed ? "ticket-closed" : "unchanged"}`);
}

function answerChange(
  result: ChangeServiceResult,
  id: number,
  done: string,
  values: Record<string, string> = {},
): FormAnswer {
  if (result.kind === "changed") redirect(`${servicePath(id)}?done=${done}`);
  if (result.kind === "unchanged") redirect(`${servicePath(id)}?done=same`);
  if (result.kind === "deleting") redirect(`${servicePath(id)}?done=deleting`);
  if (result.kind === "not-found") redirect(`${GAME_SERVICES}?done=unchanged`);
  return refused(result.message, result.field, values);
}

/** Asks about an origin that cannot be found, unless the form says that it is meant. */
async function questionOf(accountId: number, id: number | null, input: ServiceInput, form: FormData) {
  const doubt = await originDoubt(accountId, id, input, await rules());
  if (!doubt || textOf(form, "anyway") === doubt.host) return null;
  return { ...refused(doubt.message, "originHost", input), anyway: doubt.host };
}

function inputOf(form: FormData): ServiceInput {
  return {
    name: textOf(form, "name"),
    javaHostname: textOf(form, "javaHostname"),
    originHost: textOf(form, "originHost"),
    originPort: textOf(form, "originPort"),
  };
}

async function rules(): Promise<ServiceRules> {
  return { ownHosts: ownHosts(await headers()), allowPrivateOrigins: env.allowPrivateOrigins };
}

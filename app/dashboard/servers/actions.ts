"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { invalid } from "@/lib/failures";
import { idIn, textOf } from "@/lib/http/form-fields";
import { findId } from "@/lib/http/ids";
import { endSnooze, snoozeServer } from "@/lib/notices/of-server";
import { benchmarkPath, DASHBOARD, serverPath, serverSettingsPath } from "@/lib/page-paths";
import { cancelBenchmark, requestBenchmark } from "@/lib/servers/benchmarks";
import { callOffMaintenance, planMaintenance } from "@/lib/servers/maintenance";
import { createServer, removeServer, renameServer } from "@/lib/servers/management";
import type { ServerNames } from "@/lib/servers/names";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { getTags } from "@/lib/servers/servers";
import { changeTags, setTags } from "@/lib/servers/tag-changes";
import { reportEvent, requireAccount } from "@/lib/sign-in/sessions";
import { fleetOf } from "../fleet-data";
import { idsInList, parseFleetQuery } from "../fleet-query";
import { type FormAnswer, refused, renamed, withoutTokens } from "../form-answer";
import { maintenanceText } from "./[id]/silence-text";
import type {
  AddServerAnswer,
  ChangeTagsAnswer,
  ChosenServers,
  PlanMaintenanceAnswer,
  ReplaceKeyAnswer,
  RequestBenchmarkAnswer,
} from "./form-answers";

const GONE = "Nothing was changed: this server no longer exists.";
const SOME_GONE = "Nothing was planned: some of these servers no longer exist. The others are still marked.";

/** Adds a server. Only the answer to this request contains its first key. */
export async function addServerAction(_: unknown, form: FormData): Promise<AddServerAnswer> {
  const account = await requireAccount();
  const names = namesOf(form);
  const result = await createServer(account.id, { ...names, formNonce: textOf(form, "formNonce") });
  if (result.kind === "invalid") return { ...result, values: withoutTokens(names) };
  if (result.kind === "already-created") return result;
  const { id, rawKey } = result;
  await reportEvent("server added", { accountId: account.id, serverId: id });
  return { kind: "created", id, label: names.label.trim(), rawKey };
}

/** Gives the server of the form another label and hostname. */
export async function renameServerAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const names = namesOf(form);
  const result = await renameServer(account.id, idIn(form), names);
  if (result.kind === "invalid") return refused(result.message, result.field, names);
  if (result.kind === "not-found") return refused(GONE, "form", names);
  // The title and the way back have the name, too.
  revalidatePath(DASHBOARD, "layout");
  return renamed(names.label.trim());
}

/** Replaces the key of the server of the form. Only the answer to this request contains the new key. */
export async function replaceKeyAction(_: unknown, form: FormData): Promise<ReplaceKeyAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const result = await replaceServerKey(account.id, id);
  if (result.kind === "not-found") return { kind: "refused", message: GONE };
  if (result.kind === "too-often") return { kind: "refused", message: result.message };
  await reportEvent("server key replaced", { accountId: account.id, serverId: id });
  return { kind: "replaced", rawKey: result.rawKey };
}

/** Tells nothing new of the server of the form for a while, or tells again. */
export async function snoozeAction(form: FormData): Promise<never> {
  const account = await requireAccount();
  const id = idIn(form);
  const length = textOf(form, "length");
  if (length === "end") await endSnooze(account.id, id);
  else await snoozeServer(account.id, id, length);
  redirect(serverPath(id));
}

/** Removes the server of the form and goes to the list, which says what became of it. */
export async function removeServerAction(_: unknown, form: FormData): Promise<never> {
  const account = await requireAccount();
  const id = idIn(form);
  if (!(await removeServer(account.id, id))) redirect(`${DASHBOARD}?done=unchanged`);
  await reportEvent("server removed", { accountId: account.id, serverId: id });
  redirect(`${DASHBOARD}?done=removed`);
}

/** Creates a benchmark run. Only the answer to this request contains its one-time key. */
export async function requestBenchmarkAction(_: unknown, form: FormData): Promise<RequestBenchmarkAnswer> {
  const account = await requireAccount();
  const label = textOf(form, "label");
  const id = idIn(form);
  const result = await requestBenchmark(account.id, id, label);
  if (result.kind === "requested") {
    // The list of runs on the same page names the run as it is called now.
    revalidatePath(benchmarkPath(id));
    return { kind: "requested", label: label.trim(), rawKey: result.rawKey, expiresAt: result.expiresAt.getTime() };
  }
  return { ...(result.kind === "invalid" ? result : invalid("form", GONE)), values: withoutTokens({ label }) };
}

/** Cancels the pending run of the form and goes back to the page of benchmarks, which no longer lists it. */
export async function cancelBenchmarkAction(_: unknown, form: FormData): Promise<never> {
  const account = await requireAccount();
  const serverId = idIn(form, "serverId");
  const isCancelled = await cancelBenchmark(account.id, idIn(form));
  redirect(serverId === 0 ? DASHBOARD : `${benchmarkPath(serverId)}?done=${isCancelled ? "cancelled" : "unchanged"}`);
}

/** Gives the server of the form the tags of the form. */
export async function setTagsAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const id = idIn(form);
  const tags = textOf(form, "tags");
  if (id === 0) return refused(GONE, "tags", { tags });
  const result = await setTags(account.id, id, tags);
  if (result.kind === "invalid") return refused(result.message, "tags", { tags });
  revalidatePath(DASHBOARD, "layout");
  const kept = await getTags(account.id, id);
  return { kind: "done", words: kept.length === 0 ? "The server has no tags now." : "The tags are saved." };
}

/** Adds tags to the servers that the form chose and removes others: to the marked ones, or to all of its list. */
export async function changeTagsAction(_: unknown, form: FormData): Promise<ChangeTagsAnswer> {
  const account = await requireAccount();
  const typed = { add: textOf(form, "add"), remove: textOf(form, "remove") };
  const { ids, chosen } = await chosenServers(account.id, form);
  const result = await changeTags(account.id, ids, typed);
  if (result.kind === "invalid") {
    return { ...result, values: { ...withoutTokens(typed), chosen } };
  }
  revalidatePath(DASHBOARD, "layout");
  return result;
}

/** Plans the same maintenance for the servers that the form chose: for the marked ones, or for all of its list. */
export async function planMaintenanceAction(_: unknown, form: FormData): Promise<PlanMaintenanceAnswer> {
  const account = await requireAccount();
  const { ids, chosen } = await chosenServers(account.id, form);
  const fields = { from: textOf(form, "from"), to: textOf(form, "to") };
  const result = await planMaintenance(account.id, ids, fields, account.timeZone);
  if (result.kind === "invalid") return { ...result, chosen };
  // The settings then list the plan, and the list offers the servers that are left, which stay marked.
  if (result.kind === "planned" || form.has("list")) revalidatePath(DASHBOARD, "layout");
  if (result.kind === "not-found") {
    return { kind: "invalid", field: "servers", message: form.has("list") ? SOME_GONE : GONE, fields, chosen };
  }
  return { kind: "planned", servers: result.servers, text: maintenanceText(result, account.timeZone) };
}

/** Calls off the maintenance of the form and goes back to the page, which says so. */
export async function callOffMaintenanceAction(_: unknown, form: FormData): Promise<never> {
  const account = await requireAccount();
  const serverId = idIn(form, "serverId");
  if (serverId === 0) redirect(DASHBOARD);
  const isOff = await callOffMaintenance(account.id, serverId, idIn(form));
  redirect(`${serverSettingsPath(serverId)}?done=${isOff ? "called-off" : "unchanged"}#maintenance`);
}

/** The servers that a form about several was sent for, and what it marks when it is shown again. */
async function chosenServers(accountId: number, form: FormData): Promise<{ ids: number[]; chosen: ChosenServers }> {
  const isAll = form.has("all");
  const selected = form.getAll("s").flatMap((value) => findId(String(value)) ?? []);
  const list = parseFleetQuery(Object.fromEntries(new URLSearchParams(textOf(form, "list"))));
  return { ids: isAll ? idsInList(await fleetOf(accountId), list) : selected, chosen: { isAll, selected } };
}

function namesOf(form: FormData): ServerNames {
  return { label: textOf(form, "label"), hostname: textOf(form, "hostname") };
}

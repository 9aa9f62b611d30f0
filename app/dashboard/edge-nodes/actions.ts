"use server";

import { redirect } from "next/navigation";
import { type FormAnswer, refused } from "@/app/dashboard/form-answer";
import { addNode, endReplacedKeys, removeNode, renameNode, replaceNodeKey } from "@/lib/game-services/edges/nodes";
import { idIn, textOf } from "@/lib/http/form-fields";
import { EDGE_NODES, edgeNodeSettingsPath } from "@/lib/page-paths";
import { reportEvent } from "@/lib/sign-in/sessions";
import { requireAdmin } from "./require-admin";

/** Only the answer to the form that created a key contains it. */
type NodeKeyAnswer = FormAnswer | { kind: "key"; id: number; name: string; rawKey: string };

const GONE = "Nothing was changed: this edge node no longer exists.";

/** Adds an edge node. Only the answer to this request contains its key. */
export async function addNodeAction(_: unknown, form: FormData): Promise<NodeKeyAnswer> {
  const { id: accountId } = await requireAdmin();
  const name = textOf(form, "name");
  const result = await addNode(name);
  if (result.kind === "invalid") return refused(result.message, "name", { name });
  await reportEvent("edge node added", { accountId, nodeId: result.id });
  return { kind: "key", id: result.id, name: name.trim(), rawKey: result.rawKey };
}

/** Replaces the key of an edge node. Only the answer to this request contains the new one. */
export async function replaceNodeKeyAction(_: unknown, form: FormData): Promise<NodeKeyAnswer> {
  const { id: accountId } = await requireAdmin();
  const id = idIn(form);
  const result = await replaceNodeKey(id);
  if (result.kind === "not-found") return refused(GONE);
  if (result.kind === "too-often") return refused(result.message);
  await reportEvent("edge node key replaced", { accountId, nodeId: id });
  return { kind: "key", id, name: result.name, rawKey: result.rawKey };
}

/** Ends the keys of an edge node that were replaced. */
export async function endNodeKeysAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAdmin();
  const id = idIn(form);
  if ((await endReplacedKeys(id)) === null) return refused(GONE);
  await reportEvent("edge node key replaced", { accountId, nodeId: id });
  redirect(`${edgeNodeSettingsPath(id)}&done=keys-ended`);
}

/** Gives an edge node another name. */
export async function renameNodeAction(_: unknown, form: FormData): Promise<FormAnswer> {
  await requireAdmin();
  const id = idIn(form);
  const name = textOf(form, "name");
  const result = await renameNode(id, name);
  if (result.kind === "not-found") return refused(GONE);
  if (result.kind === "invalid") return refused(result.message, "name", { name });
  redirect(`${edgeNodeSettingsPath(id)}&done=renamed`);
}

/** Removes an edge node and goes to the list. */
export async function removeNodeAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const { id: accountId } = await requireAdmin();
  const id = idIn(form);
  if ((await removeNode(id)) !== null) await reportEvent("edge node removed", { accountId, nodeId: id });
  redirect(`${EDGE_NODES}?done=removed`);
}

import { notFound, redirect } from "next/navigation";
import { findNode } from "@/lib/game-services/edges/nodes";
import { findId } from "@/lib/http/ids";
import { GAME_SERVICES } from "@/lib/page-paths";
import { requireAccount, type SignedInAccount } from "@/lib/sign-in/sessions";

/** Edge nodes are for administrators; everybody else is sent to the game services. */
export async function requireAdmin(): Promise<SignedInAccount> {
  const account = await requireAccount();
  if (account.role !== "admin") redirect(GAME_SERVICES);
  return account;
}

/** The node that `?node=` names, and the administrator who asks. Shows the not-found page when there is none. */
export async function requireNodeOf(query: Promise<Record<string, string | string[] | undefined>>) {
  const account = await requireAdmin();
  const id = findId(String((await query).node ?? ""));
  const node = (id !== null && (await findNode(id))) || notFound();
  return { ...node, account };
}

"use server";

import { redirect } from "next/navigation";
import { SIGN_IN } from "@/lib/page-paths";
import { endSession } from "@/lib/sign-in/sessions";

/** Signs the browser out. */
export async function signOutAction(): Promise<never> {
  await endSession();
  redirect(`${SIGN_IN}?signed-out`);
}

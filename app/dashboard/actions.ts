"use server";

import { redirect } from "next/navigation";
import { endSession } from "@/lib/sign-in/sessions";

/** Signs the browser out. */
export async function signOutAction(): Promise<never> {
  await endSession();
  redirect("/sign-in?signed-out");
}

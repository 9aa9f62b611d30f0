"use server";

import { redirect } from "next/navigation";
import { endSession } from "@/lib/session";

export async function signOutAction(): Promise<never> {
  await endSession();
  redirect("/sign-in?signed-out");
}

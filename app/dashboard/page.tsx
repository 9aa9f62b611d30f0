import { redirect } from "next/navigation";

/** The console has one page so far. */
export default function Page(): never {
  redirect("/dashboard/settings/api");
}

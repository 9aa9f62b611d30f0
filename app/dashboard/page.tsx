import { redirect } from "next/navigation";
import { SETTINGS_API } from "@/app/paths";

/** The console has one page so far. */
export default function Page(): never {
  redirect(SETTINGS_API);
}

import { redirect } from "next/navigation";
import { TOKEN_PAGE } from "@/app/paths";

/** The console has one page so far. */
export default function Page(): never {
  redirect(TOKEN_PAGE);
}

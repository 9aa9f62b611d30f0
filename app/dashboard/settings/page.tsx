import { redirect } from "next/navigation";
import { TOKEN_PAGE } from "@/app/paths";

/** There is one kind of settings so far. */
export default function Page(): never {
  redirect(TOKEN_PAGE);
}

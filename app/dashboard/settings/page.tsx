import { redirect } from "next/navigation";
import { TOKEN_PAGE } from "@/lib/page-paths";

/** There is one kind of settings so far. */
export default function Page(): never {
  redirect(TOKEN_PAGE);
}

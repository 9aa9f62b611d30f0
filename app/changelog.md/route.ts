import { readChangelog } from "@/app/changelog/changelog";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The changelog as it stands in the project. */
export const { GET, HEAD, OPTIONS } = publicText("text/markdown; charset=utf-8", readChangelog);

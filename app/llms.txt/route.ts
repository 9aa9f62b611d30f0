import { writeLlms } from "@/lib/api/llms";
import { servedText } from "@/lib/api/served-document";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** What a language model needs to ask the API. */
export const { GET, HEAD, OPTIONS } = publicText("text/plain; charset=utf-8", servedText("llms", writeLlms));

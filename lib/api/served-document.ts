import { servedOrigin } from "@/lib/http/own-origin";
import { env } from "@/lib/process/env";
import { type OpenApiDocument, openApiDocument } from "./openapi";

/** The document as this console serves it, and the origin of the console, by the headers of a GET. */
export function servedDocument(headers: Headers): { document: OpenApiDocument; origin: string } {
  const origin = servedOrigin(headers);
  return { document: openApiDocument(origin, env.contactUrl), origin };
}

import { z } from "zod";
import { CONTRACT, type EndpointPath } from "@/lib/api/contract";

/** The body of a success (contract 2). */
export function successBody(path: EndpointPath) {
  return z.strictObject({ data: CONTRACT[path].data });
}

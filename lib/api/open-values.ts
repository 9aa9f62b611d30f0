import type { Schema } from "./openapi";

/** The known values of a schema that lets further ones pass; null for any other schema. */
export function openValues({ anyOf = [] }: Schema): string[] | null {
  const [known, any] = anyOf;
  return anyOf.length === 2 && known?.enum && any?.type === "string" && !any.enum ? known.enum : null;
}

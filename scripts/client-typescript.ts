import {
  failuresOf,
  type OpenApiDocument,
  type Operation,
  openValues,
  type Schema,
  successOf,
} from "@/lib/api/openapi";
import type { ClientRegions } from "./client-regions";

/** What the regions of `public/clients/console-api.ts` hold. */
export function typeScriptRegions(document: OpenApiDocument): ClientRegions {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `/** ${schema.description} */\nexport type ${name} = ${typeOf(schema)};\n`,
  );
  const statuses = `/** The statuses of failures; further ones may be added. */
export type ConsoleApiStatus = ${[...failuresOf(document).keys()].join(" | ")} | (number & {});
`;
  const methods = Object.entries(document.paths).map(([path, { get }]) => writeMethod(path, get));
  return { types: [...types, statuses].join("\n"), methods: methods.join("\n") };
}

function writeMethod(path: string, operation: Operation): string {
  const { operationId, summary, parameters } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const takes = [
    ...inPath.map(({ name }) => `${name}: number`),
    inQuery.length > 0
      ? `options: RequestOptions & { ${inQuery.map(({ name, schema }) => `${name}?: ${typeOf(schema)}`).join("; ")} } = {}`
      : "options: RequestOptions = {}",
  ];
  const target = path.replaceAll(/\{(\w+)\}/g, "$${$1}");
  const query = inQuery.map(({ name, schema }, index) => {
    if (schema.default !== undefined)
      return `${index === 0 ? "?" : "&"}${name}=\${options.${name} ?? "${schema.default}"}`;
    return `\${options.${name} === undefined ? "" : \`&${name}=\${options.${name}}\`}`;
  });
  const url = target + query.join("");
  return `  /** ${summary}. */
  ${operationId}(${takes.join(", ")}): Promise<${typeOf(successOf(operation).data)}> {
    return this.#get(${url.includes("$") ? `\`${url}\`` : `"${url}"`}, options);
  }
`;
}

function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "unknown";
  const known = openValues(schema);
  // The compiler still suggests the known values, and does not take them for all there can be.
  if (known) return [...known.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `${typeOf(schema.items, indent)}[]`;
  if (schema.properties) return objectOf(schema, indent);
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => (type === "integer" ? "number" : type))
    .join(" | ");
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const comment = property.description ? `${indent}  /** ${property.description} */\n` : "";
    return `${comment}${indent}  ${name}${required.includes(name) ? "" : "?"}: ${typeOf(property, `${indent}  `)};\n`;
  });
  const others = additionalProperties ? `${indent}  [key: string]: unknown;\n` : "";
  return `{\n${fields.join("")}${others}${indent}}`;
}

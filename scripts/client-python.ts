import { type OpenApiDocument, type Operation, openValues, type Schema, successOf } from "@/lib/api/openapi";
import type { ClientRegions } from "./client-regions";

/** What the regions of `public/clients/console_api.py` hold. */
export function pythonRegions(document: OpenApiDocument): ClientRegions {
  const types = Object.entries(document.components.schemas).map(([name, schema]) => writeType(name, schema));
  const methods = Object.entries(document.paths).map(([path, { get }]) => writeMethod(path, get));
  return { types: `\n${types.join("\n\n")}\n`, methods: methods.join("\n") };
}

function writeType(name: string, schema: Schema): string {
  const { properties = {}, required = [], description = "" } = schema;
  const fieldsOf = (isRequired: boolean) =>
    Object.entries(properties)
      .filter(([field]) => required.includes(field) === isRequired)
      .map(([field, property]) => {
        const comment = property.description ? `    #: ${property.description}\n` : "";
        return `${comment}    ${field}: ${typeOf(property)}\n`;
      })
      .join("");
  const text = `    """${description}"""\n\n`;
  const [always, sometimes] = [fieldsOf(true), fieldsOf(false)];
  if (!sometimes) return `class ${name}(TypedDict):\n${text}${always}`;
  if (!always) return `class ${name}(TypedDict, total=False):\n${text}${sometimes}`;
  // Python has a word for a single field that may be absent only from 3.11 on.
  return `class _${name}(TypedDict, total=False):\n${sometimes}\n\nclass ${name}(_${name}):\n${text}${always}`;
}

function writeMethod(path: string, operation: Operation): string {
  const { operationId, summary, parameters } = operation;
  const takes = parameters.map(({ name, in: place, schema }) => {
    if (place === "path") return `${name}: int`;
    const isOptional = schema.default === undefined;
    return `${name}: ${typeOf(schema)}${isOptional ? " | None = None" : ` = "${schema.default}"`}`;
  });
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const always = inQuery.filter(({ schema }) => schema.default !== undefined);
  const url = path + always.map(({ name }, index) => `${index === 0 ? "?" : "&"}${name}={${name}}`).join("");
  const sometimes = inQuery.filter((parameter) => !always.includes(parameter));
  const rest = sometimes.map(({ name }) => ` + ("" if ${name} is None else f"&${name}={${name}}")`);
  return `    def ${snakeCase(operationId)}(${["self", ...takes].join(", ")}) -> ${typeOf(successOf(operation).data)}:
        """${summary}."""
        return self._get(${url.includes("{") ? "f" : ""}"${url}"${rest.join("")})
`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "Any";
  const known = openValues(schema);
  if (known) return `${typeOf({ enum: known })} | str`;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(", ")}]`;
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.items) return `list[${typeOf(schema.items)}]`;
  const names: Record<string, string> = {
    integer: "int",
    number: "float",
    string: "str",
    boolean: "bool",
    null: "None",
  };
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => names[type] ?? "Any")
    .join(" | ");
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

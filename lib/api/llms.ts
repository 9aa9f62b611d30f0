import { API_REQUESTS, policyText } from "@/lib/rate-limit/policy";
import { ENDPOINTS, largestText } from "./contract";
import { type OpenApiDocument, type Schema, successOf, templateOf } from "./openapi";
import { resolveSchema } from "./reference-tables";
import { SERVED_FILES } from "./served-files";

/** What is asked often, and the requests that answer it. */
const QUESTIONS: readonly (readonly [question: string, answer: string])[] = [
  ["Which server is worst, and why?", "`/servers`, least `score`; then `score_notes` of `/servers/{id}`"],
  ["Which servers have a value above a limit?", "`/metrics`: every latest sample, as Prometheus text"],
  ["How much traffic in the last hour?", "`/game-services/{id}/metrics`: sum up the series"],
  ["What is new in the traffic?", "the same with `since=` the last `ts` less ten minutes"],
  ["Which day or hour had most traffic?", "the tool `traffic` of `/mcp`; the week itself is megabytes"],
  ["Is a benchmark trustworthy?", "`verified` in `/servers/{id}/benchmarks`"],
];

/** What a language model needs to ask the API (llmstxt.org), for the console at `origin`. */
export function writeLlms(document: OpenApiDocument, origin: string): string {
  const { schemas } = document.components;
  const endpoints = ENDPOINTS.map(([path, { query, largest }]) => {
    const operation = document.paths[templateOf(path)]?.get;
    const names = Object.keys(query).map((name) => `${name}=`);
    const target = templateOf(path) + (names.length > 0 ? `?${names.join("&")}` : "");
    return `- \`${target}\` ${operation ? fieldsOf(successOf(operation).data, schemas) : ""}; ${largestText(largest)}`;
  });
  const files = Object.keys(SERVED_FILES).filter((path) => path !== "/llms.txt");
  return `# ${document.info.title}

> Read-only JSON at ${origin}, GET with \`Authorization: Bearer <token>\`; ${policyText(API_REQUESTS)}, 429 says \`Retry-After\`. A success is \`{"data": …}\`, a failure \`{"error": "<message>"}\`. Times are Unix epoch milliseconds. Scores: 0 to 1000, higher is healthier. Programs that speak the Model Context Protocol: ${origin}/mcp, same token.

## Endpoints

${endpoints.join("\n")}

\`range\`: 1h, 24h, 7d. \`?\`: may be absent.

## Questions

${QUESTIONS.map(([question, answer]) => `- ${question} ${answer}`).join("\n")}

## Documents

${files.map((path) => `- [${path.split("/").at(-1)}](${origin}${path})`).join("\n")}
`;
}

/** The fields of a body in one line: `servers[]{id, label}`; `?` stands behind one that may be absent. */
function fieldsOf(schema: Schema, schemas: Record<string, Schema>): string {
  const { properties = {}, required = [] } = resolveSchema(schema, schemas);
  const names = Object.entries(properties).map(([name, property]) => {
    const inner = resolveSchema(property, schemas);
    const elements = inner.items ? resolveSchema(inner.items, schemas) : inner;
    const fields = elements.properties ? fieldsOf(elements, schemas) : "";
    return `${name}${required.includes(name) ? "" : "?"}${inner.items ? "[]" : ""}${fields}`;
  });
  return `{${names.join(", ")}}`;
}

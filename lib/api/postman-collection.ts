import { type OpenApiDocument, type Operation, successOf } from "./openapi";

/**
 * The text of `/clients/console-api.postman.json`: a collection (v2.1) with a request for each endpoint, in folders by
 * group. People set the variable `token`. Each request checks its answer, so that newman tells whether a console answers as
 * the document says.
 */
export function writePostmanCollection(document: OpenApiDocument, origin: string): string {
  const variables = { origin, token: "", server_id: "1", service_id: "1" };
  const operations = Object.entries(document.paths);
  const collection = {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(([, { get }]) => get.tags.includes(name)).map(([path, { get }]) => requestOf(path, get)),
    })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function requestOf(path: string, operation: Operation) {
  const { summary, description, parameters } = operation;
  const { data } = successOf(operation).example as { data: object };
  const query = parameters.filter((parameter) => parameter.in === "query");
  const filled = path.replace("{id}", path.includes("/servers") ? "{{server_id}}" : "{{service_id}}");
  const pairs = query.map(({ name, example, description: what, schema }) => ({
    key: name,
    value: String(example),
    description: what,
    ...(schema.default === undefined && { disabled: true }),
  }));
  const sent = pairs.filter(({ disabled }) => !disabled);
  return {
    name: summary,
    request: {
      method: "GET",
      description,
      url: {
        raw: `{{origin}}${filled}${sent.map(({ key, value }) => `?${key}=${value}`).join("")}`,
        host: ["{{origin}}"],
        path: filled.slice(1).split("/"),
        ...(pairs.length > 0 && { query: pairs }),
      },
    },
    event: [{ listen: "test", script: { type: "text/javascript", exec: testOf(Object.keys(data)) } }],
  };
}

/** A script that checks the status, the fields of `data` and the quota headers. */
function testOf(fields: string[]): string[] {
  return [
    'pm.test("200 with the documented fields", () => {',
    "  pm.response.to.have.status(200);",
    `  pm.expect(pm.response.json().data).to.include.all.keys(${fields.map((field) => JSON.stringify(field)).join(", ")});`,
    '  pm.response.to.have.header("RateLimit");',
    "});",
  ];
}

import { withId } from "./example-ids";
import { type OpenApiDocument, type Operation, type Schema, successOf } from "./openapi";
import { LEAD, referenceSections } from "./reference";
import { type Block, pointText, type Sum, type TitledCurve } from "./reference-blocks";
import { listFields, placeOf } from "./reference-fields";
import { requestExamples } from "./request-examples";

/** The reference as Markdown: what `/docs/api` shows, for the console at `origin`. */
export function writeReference(document: OpenApiDocument, origin: string): string {
  const sections = referenceSections(document, origin).map(
    ({ title, blocks }) => `## ${title}\n\n${blocks.map((block) => writeBlock(block, document, origin)).join("\n\n")}`,
  );
  return `${[`# API reference`, LEAD, ...sections].join("\n\n")}\n`;
}

function writeBlock(block: Block, document: OpenApiDocument, origin: string): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "heading":
      return `### ${block.text}`;
    case "list":
      return block.items.map((item) => `- ${item}`).join("\n");
    case "command":
      return `${block.label}:\n\n${fenced(block.text)}`;
    case "terms":
      return block.terms
        .map(({ name, text, examples }) =>
          [`- \`${name}\`: ${text}`, ...examples.map((one) => `  \`${one}\``)].join("\n"),
        )
        .join("\n");
    case "sum":
      return writeSum(block.sum);
    case "curves":
      return block.curves.map(writeCurve).join("\n");
    case "endpoints":
      return Object.entries(document.paths)
        .map(([path, { get }]) => writeEndpoint(path, get, document.components.schemas, origin))
        .join("\n\n");
  }
}

function writeEndpoint(path: string, operation: Operation, schemas: Record<string, Schema>, origin: string): string {
  const { summary, description, parameters } = operation;
  const { body, example } = successOf(operation);
  const [curl] = requestExamples(origin + withId(path));
  const takes = parameters.map(
    (parameter) => `- \`${parameter.name}\` (${placeOf(parameter)}): ${parameter.description}`,
  );
  return [
    `### GET ${path}`,
    `${summary}. ${description}`,
    ...(takes.length > 0 ? [takes.join("\n")] : []),
    fenced(curl?.text ?? ""),
    fenced(JSON.stringify(example, null, 2)),
    listFields(body, schemas)
      .map(
        ({ name, type, isOptional, description: what }) =>
          `- \`${name}\` (${type}${isOptional ? ", may be absent" : ""}): ${what}`,
      )
      .join("\n"),
  ].join("\n\n");
}

function writeSum({ columns, rows, totals }: Sum): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const lines = [line(columns), line(columns.map(() => "---")), ...rows.map(line)];
  return [...lines, ...totals.map(([name, value]) => line([name, "", "", value]))].join("\n");
}

function writeCurve(titled: TitledCurve): string {
  return `- ${titled.title}: ${titled.curve.map((point) => pointText(titled, point)).join(", ")}`;
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}

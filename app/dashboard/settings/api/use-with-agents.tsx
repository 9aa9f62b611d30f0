import { CodeBlock } from "@/app/ui/code-block";
import { Section } from "@/app/ui/section";
import { mcpLines } from "@/lib/api/mcp-lines";

/** What to paste into programs with language models, so that they ask the console themselves. */
export function UseWithAgents({ origin }: { origin: string }) {
  return (
    <Section id="mcp" title="Use it with Claude Code, Cursor, VS Code">
      <div>
        <p>
          Such programs can ask the console themselves, through the Model Context Protocol and with a token of this
          page.
        </p>
        {mcpLines(origin).map(({ label, lines }) => (
          <details key={label} className="disclosure" name="mcp">
            <summary>{label}</summary>
            <CodeBlock label={label} text={lines} />
          </details>
        ))}
      </div>
    </Section>
  );
}

import { CodeBlock } from "@/app/ui/code-block";
import { Code } from "@/app/ui/name";
import { agentConfigurations, KEY_PLACE } from "./agent-configurations";

/** What to paste where a stock agent reports in the place of the console's daemon. It works without JavaScript. */
export function OtherAgents({ origin }: { origin: string }) {
  const configurations = agentConfigurations(origin);
  return (
    <details className="disclosure">
      <summary>Other ways to report: {configurations.map(({ name }) => name).join(", ")}</summary>
      <p>
        Let a program report that runs there already. <Code>{KEY_PLACE}</Code> stands for the server&apos;s key.
      </p>
      {configurations.map(({ name, place, text, note }) => (
        <details key={name} className="disclosure" name="agent">
          <summary>{name}</summary>
          <div className="stack">
            <p>{note}</p>
            <CodeBlock label={place} text={text} />
          </div>
        </details>
      ))}
    </details>
  );
}

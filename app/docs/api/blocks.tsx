import { CodeBlock } from "@/app/ui/code-block";
import { Link } from "@/app/ui/link";
import { type Block, inlinesOf, type Sum } from "@/lib/api/reference-blocks";
import { CurveChart } from "./curve-chart";
import styles from "./page.module.css";
import { RunExample } from "./run-example";

/** A piece of the reference as the page shows it; the endpoints, which need more room, have a component of their own. */
export function ReferenceBlock({ block }: { block: Exclude<Block, { kind: "endpoints" }> }) {
  switch (block.kind) {
    case "text":
      return (
        <p>
          <Prose text={block.text} />
        </p>
      );
    case "heading":
      return <h3 id={block.id}>{block.text}</h3>;
    case "list":
      return (
        <ul className={styles.notes}>
          {block.items.map((item) => (
            <li key={item}>
              <Prose text={item} />
            </li>
          ))}
        </ul>
      );
    case "command":
      return (
        <>
          <CodeBlock label={block.label} text={block.text} />
          {block.runs && <RunExample path={block.runs} name={block.runs} />}
        </>
      );
    case "terms":
      return (
        <dl className={styles.fields}>
          {block.terms.map(({ name, text, examples }) => (
            <Field key={name} name={name}>
              <Prose text={text} />
              {examples.map((example) => (
                <code key={example} className={styles.message}>
                  {example}
                </code>
              ))}
            </Field>
          ))}
        </dl>
      );
    case "sum":
      return <SumTable sum={block.sum} />;
    case "curves":
      return (
        <div className={styles.curves}>
          {block.curves.map((titled) => (
            <CurveChart key={titled.title} titled={titled} />
          ))}
        </div>
      );
  }
}

/** A name with what it means, in a list of such. */
export function Field({ name, type, children }: { name: string; type?: string; children: React.ReactNode }) {
  return (
    <div className={styles.field}>
      <dt>
        <code>{name}</code> {type && <span className={styles.type}>{type}</span>}
      </dt>
      <dd className="soft">{children}</dd>
    </div>
  );
}

/** A text of a block, with its code and its links. */
export function Prose({ text }: { text: string }) {
  return inlinesOf(text).map((inline, index) => {
    // The pieces of a text never change their order.
    const key = `${index} ${inline.text}`;
    if (inline.kind === "code") return <code key={key}>{inline.text}</code>;
    if (inline.kind === "plain") return inline.text;
    // The client router handles pages only.
    return /^\/(?:dashboard|sign-in)/.test(inline.href) ? (
      <Link key={key} href={inline.href}>
        {inline.text}
      </Link>
    ) : (
      <a key={key} href={inline.href} download={inline.href.startsWith("/recipes/grafana/") || undefined}>
        {inline.text}
      </a>
    );
  });
}

function SumTable({ sum: { columns, rows, totals } }: { sum: Sum }) {
  return (
    <table className={styles.sum}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {values.map((value, index) => (
              <td key={columns[index + 1]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        {totals.map(([name, value]) => (
          <tr key={name}>
            <th scope="row" colSpan={columns.length - 1}>
              {name}
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </tfoot>
    </table>
  );
}

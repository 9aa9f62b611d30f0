import { Lexer, type Tokens } from "marked";
import { type Block, Words } from "@/app/ui/markdown";
import { Code } from "@/app/ui/name";
import { CURVES_BY_LINE } from "@/lib/api/health-score-reference";
import { CurveChart } from "./curve-chart";
import styles from "./page.module.css";
import { Request, requestOf } from "./request";

/** What the reference shows in a way of its own: curves, terms, a sum, and a request that can be sent from the page. */
export function specialBlock(block: Block, caption: string): React.ReactNode {
  switch (block.type) {
    case "list":
      return curvesOf(block) ?? termsOf(block);
    case "table":
      return <SumTable table={block} />;
    case "code": {
      const url = requestOf(block.text);
      return url && <Request url={url} label={caption} name={url.pathname} text={block.text} />;
    }
  }
}

/** The drawings of the curves of the health score. */
function curvesOf({ items }: Tokens.List): React.ReactNode {
  const curves = items.flatMap(({ text }) => CURVES_BY_LINE.get(text) ?? []);
  if (curves.length === 0) return undefined;
  return (
    <div className={`columns ${styles.curves}`}>
      {curves.map((curve) => (
        <CurveChart key={curve.title} curve={curve} />
      ))}
    </div>
  );
}

/** A row for each name with what it means, and values or messages as they are sent. */
function termsOf({ items }: Tokens.List): React.ReactNode {
  const terms = items.flatMap(({ text }) => {
    const [, name, type, meaning, examples = ""] = /^`([^`]+)`(?: \((.+?)\))?: (.*)((?:\n`.+`)*)$/.exec(text) ?? [];
    return name && meaning !== undefined ? { name, type, meaning, examples: examples.match(/[^\n`]+/g) ?? [] } : [];
  });
  if (terms.length === 0) return undefined;
  return (
    <dl className={styles.fields}>
      {terms.map(({ name, type, meaning, examples }) => (
        <div key={name} className={styles.field}>
          <dt>
            <Code>{name}</Code> {type && <span className="hint breaks">{type}</span>}
          </dt>
          <dd className="soft">
            <Words of={Lexer.lexInline(meaning)} />
            {examples.map((example) => (
              <Code key={example} className={`block ${styles.message}`}>
                {example}
              </Code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A row with nothing between its name and its last value is a total. */
function SumTable({ table: { header, rows } }: { table: Tokens.Table }) {
  const isTotal = ([, second]: Tokens.TableCell[]) => second?.text === "";
  return (
    <table className={styles.sum}>
      <thead>
        <tr>
          {header.map(({ text }) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows
          .filter((row) => !isTotal(row))
          .map(([name, ...values]) => (
            <tr key={name?.text}>
              <th scope="row">{name?.text}</th>
              {values.map(({ text }, index) => (
                <td key={header[index + 1]?.text}>{text}</td>
              ))}
            </tr>
          ))}
      </tbody>
      <tfoot>
        {rows.filter(isTotal).map((row) => (
          <tr key={row[0]?.text}>
            <th scope="row" colSpan={row.length - 1}>
              {row[0]?.text}
            </th>
            <td>{row.at(-1)?.text}</td>
          </tr>
        ))}
      </tfoot>
    </table>
  );
}

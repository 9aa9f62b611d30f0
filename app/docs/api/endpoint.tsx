import { CodeBlock } from "@/app/ui/code-block";
import { Markdown, type Part } from "@/app/ui/markdown";
import { Code } from "@/app/ui/name";
import { requestExamples } from "@/lib/api/request-examples";
import { specialBlock } from "./blocks";
import styles from "./page.module.css";
import { Request, requestOf } from "./request";

/** One endpoint: what it takes, how to ask for it, its answer, and what each field of that means. */
export function Endpoint({ id, title, blocks }: Part) {
  const path = title.replace("GET ", "");
  return (
    <article className={`stack loose ${styles.endpoint}`} aria-labelledby={id}>
      <h3 id={id} className={styles.heading}>
        <a className="target plain" href={`#${id}`}>
          GET <Code>{path}</Code>
        </a>
      </h3>
      <Markdown
        blocks={blocks.slice(0, -1)}
        special={(block) => (block.type === "code" ? <Example text={block.text} name={id} /> : specialBlock(block, ""))}
      />
      <h4>Fields</h4>
      <Markdown blocks={blocks.slice(-1)} special={specialBlock} />
    </article>
  );
}

/** A request in several languages, or an answer. */
function Example({ text, name }: { text: string; name: string }) {
  const url = requestOf(text);
  if (!url) {
    return (
      <details>
        <summary>An answer</summary>
        <CodeBlock label={`Answer: ${name}`} text={text} />
      </details>
    );
  }
  const [, ...others] = requestExamples(url.href);
  return (
    <>
      <Request url={url} label={`curl: ${name}`} name={name} text={text} />
      <div className="stack dense">
        {others.map((other) => (
          <details key={other.language}>
            <summary>{other.language}</summary>
            <CodeBlock label={`${other.language}: ${name}`} text={other.text} />
          </details>
        ))}
      </div>
    </>
  );
}

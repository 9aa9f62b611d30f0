import { CodeBlock } from "@/app/ui/code-block";
import { answerWithId, withId } from "@/lib/api/example-ids";
import type { Operation, Schema } from "@/lib/api/openapi";
import { placeOf } from "@/lib/api/reference-fields";
import { requestExamples } from "@/lib/api/request-examples";
import { Prose } from "./blocks";
import { Fields } from "./fields";
import styles from "./page.module.css";
import { RunExample } from "./run-example";

type Ids = { server: number; service: number };
type Props = { path: string; operation: Operation; origin: string; ids: Ids; schemas: Record<string, Schema> };

/** One endpoint: what it takes, what it answers field by field, and how to ask for it. */
export function EndpointSection({ path, operation, origin, ids, schemas }: Props) {
  const { operationId, summary, description, parameters, responses } = operation;
  const success = responses[200];
  const content = success && "content" in success ? success.content?.["application/json"] : undefined;
  const [curl, ...others] = requestExamples(origin + withId(path, ids));
  return (
    <article className={styles.endpoint} aria-labelledby={operationId}>
      <h3 id={operationId} className={styles.heading}>
        <a href={`#${operationId}`}>
          GET <code>{path}</code>
        </a>
      </h3>
      <p>
        {summary}. <Prose text={description} />
      </p>
      {parameters.length > 0 && (
        <dl className={styles.fields}>
          {parameters.map((parameter) => (
            <div key={parameter.name} className={styles.field}>
              <dt>
                <code>{parameter.name}</code> <span className={styles.type}>{placeOf(parameter)}</span>
              </dt>
              <dd className="soft">
                <Prose text={parameter.description} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {curl && <CodeBlock label={`${curl.language}: ${operationId}`} text={curl.text} />}
      <RunExample path={withId(path, ids)} name={operationId} />
      <div className={styles.languages}>
        {others.map(({ language, text }) => (
          <details key={language}>
            <summary>{language}</summary>
            <CodeBlock label={`${language}: ${operationId}`} text={text} />
          </details>
        ))}
      </div>
      {content && (
        <>
          <details>
            <summary>An answer</summary>
            <CodeBlock
              label={`Answer: ${operationId}`}
              text={JSON.stringify(answerWithId(path, content.examples.demo?.value, ids), null, 2)}
            />
          </details>
          <h4>Fields</h4>
          <Fields schema={content.schema} schemas={schemas} />
        </>
      )}
    </article>
  );
}

import { CodeBlock } from "@/app/ui/code-block";
import { answerWithId, withId } from "@/lib/api/example-ids";
import { type Operation, type Schema, successOf } from "@/lib/api/openapi";
import { listFields, placeOf } from "@/lib/api/reference-fields";
import { requestExamples } from "@/lib/api/request-examples";
import { Field, Prose } from "./blocks";
import styles from "./page.module.css";
import { RunExample } from "./run-example";

type Ids = { server: number; service: number };
type Props = { path: string; operation: Operation; origin: string; ids: Ids; schemas: Record<string, Schema> };

/** One endpoint: what it takes, what it answers field by field, and how to ask for it. */
export function EndpointSection({ path, operation, origin, ids, schemas }: Props) {
  const { operationId, summary, description, parameters } = operation;
  const { body, example } = successOf(operation);
  const [curl, ...others] = requestExamples(origin + withId(path, ids));
  return (
    <article className={`stack loose ${styles.endpoint}`} aria-labelledby={operationId}>
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
            <Field key={parameter.name} name={parameter.name} type={placeOf(parameter)}>
              <Prose text={parameter.description} />
            </Field>
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
      <details>
        <summary>An answer</summary>
        <CodeBlock label={`Answer: ${operationId}`} text={JSON.stringify(answerWithId(path, example, ids), null, 2)} />
      </details>
      <h4>Fields</h4>
      <dl className={styles.fields}>
        {listFields(body, schemas).map((field) => (
          <Field
            key={field.name}
            name={field.name}
            type={field.isOptional ? `${field.type}, may be absent` : field.type}
          >
            {field.description}
          </Field>
        ))}
      </dl>
    </article>
  );
}

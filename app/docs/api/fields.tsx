import type { Schema } from "@/lib/api/openapi";
import { listFields } from "@/lib/api/reference-fields";
import styles from "./page.module.css";

/** The fields of an object by name, type and meaning. */
export function Fields({ schema, schemas }: { schema: Schema; schemas: Record<string, Schema> }) {
  return (
    <dl className={styles.fields}>
      {listFields(schema, schemas).map(({ name, type, isOptional, description }) => (
        <div key={name} className={styles.field}>
          <dt>
            <code>{name}</code> <span className={styles.type}>{isOptional ? `${type}, may be absent` : type}</span>
          </dt>
          <dd className="soft">{description}</dd>
        </div>
      ))}
    </dl>
  );
}

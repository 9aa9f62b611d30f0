import Link from "next/link";
import { TOKEN_PAGE } from "@/app/paths";
import { MAX_FILTER_LENGTH, SORTS, type View } from "../page-query";
import styles from "./view-form.module.css";

/** Filters and sorts the lists, with or without JavaScript: a form that only reads. */
export function ViewForm({ view }: { view: View }) {
  const isChanged = view.filter !== "" || view.sort !== "created";
  return (
    <form className={styles.form} method="get" action={TOKEN_PAGE} data-leaves-page>
      <div className={`field ${styles.filter}`}>
        <label htmlFor="filter">Find</label>
        <input
          id="filter"
          className="input"
          name="filter"
          type="search"
          defaultValue={view.filter}
          placeholder="Part of a name, last characters, ip"
          // Too short for a token: what is looked for stands in the URL.
          maxLength={MAX_FILTER_LENGTH}
          autoComplete="off"
        />
      </div>
      <div className="field">
        <label htmlFor="sort">Order</label>
        <select id="sort" className="input" name="sort" defaultValue={view.sort}>
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button quiet">
        Show
      </button>
      {isChanged && (
        <Link className={styles.all} href={TOKEN_PAGE} prefetch={false}>
          Show all
        </Link>
      )}
    </form>
  );
}

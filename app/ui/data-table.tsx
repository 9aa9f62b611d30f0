import styles from "./data-table.module.css";
import { Link } from "./link";

export type Column = {
  title: string;
  /** Only screen readers get the title, because the cells explain themselves. */
  isTitleHidden?: boolean;
  isNumber?: boolean;
  /** The title links to the page sorted by this column. `order` is the current order of the column. */
  sort?: { href: string; order: "ascending" | "descending" | null } | undefined;
};

type Props = {
  /** What the rows are; or the id of the heading that says it. */
  label?: string;
  labelledBy?: string;
  /** A text is the title of a column about which there is nothing else to say. */
  columns: readonly (Column | string)[];
  /** On a narrow screen: each row a card, or the table scrolled sideways, for numbers that are compared by column. */
  narrow?: "cards" | "scroll";
  /** The sheet of the table says the widths of its columns, as `--columns`. */
  isSet?: boolean;
  className?: string | undefined;
  children: React.ReactNode;
};

/** Browsers drop the table semantics of a table that is laid out as cards. Explicit roles keep them. */
const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  columnTitle: { role: "columnheader" },
  rowTitle: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

/** Rows of the same kind in a card. `children` are the rows. */
export function DataTable({
  label,
  labelledBy,
  columns,
  narrow = "cards",
  isSet = false,
  className = "",
  children,
}: Props) {
  const name = { "aria-label": label, "aria-labelledby": labelledBy };
  const table = (
    <table
      className={`${styles.table} ${narrow === "cards" ? styles.cards : ""} ${isSet ? styles.set : ""} ${className}`}
      {...roles.table}
      {...name}
    >
      <thead {...roles.group}>
        <tr {...roles.row}>
          {columns
            .map((column) => (typeof column === "string" ? { title: column } : column))
            .map((column) => (
              <Head key={column.title} column={column} />
            ))}
        </tr>
      </thead>
      <tbody {...roles.group}>{children}</tbody>
    </table>
  );
  if (narrow === "cards") return <div className="card clip">{table}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <section className={`card ${styles.scroll}`} tabIndex={0} {...name}>
      {table}
    </section>
  );
}

/** A row of the table. */
export function Row(props: React.ComponentProps<"tr">) {
  return <tr {...roles.row} {...props} />;
}

/** The first cell of a row, which names it. */
export function RowTitle(props: React.ComponentProps<"th">) {
  return <th scope="row" {...roles.rowTitle} {...props} />;
}

type CellProps = React.ComponentProps<"td"> & { label?: string; isNumber?: boolean };

/** `label` is the title of the column, which stands beside the value where each row is a card. */
export function Cell({ label, isNumber, className, children, ...props }: CellProps) {
  return (
    <td {...roles.cell} className={isNumber ? `end numbers nowrap ${className ?? ""}` : className} {...props}>
      {label && (
        <span className={styles.label} aria-hidden="true">
          {label}
        </span>
      )}
      {children}
    </td>
  );
}

function Head({ column: { title, isTitleHidden, isNumber, sort } }: { column: Column }) {
  return (
    <th
      scope="col"
      {...roles.columnTitle}
      className={isNumber ? "end" : undefined}
      aria-sort={sort?.order ?? undefined}
    >
      {isTitleHidden ? (
        <span className="visually-hidden">{title}</span>
      ) : sort ? (
        <Link className={`control plain ${styles.sort}`} href={sort.href} scroll={false} data-order={sort.order}>
          {title}
        </Link>
      ) : (
        title
      )}
    </th>
  );
}

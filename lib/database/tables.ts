import type { Prisma } from "@/lib/database/client";
import { TABLES } from "@/lib/generated/tables";

/** The columns of a model as Prisma types them: the one description of the tables. */
type Fields<Model extends Prisma.ModelName> = Prisma.TypeMap["model"][Model]["payload"]["scalars"];

/**
 * How PostgreSQL's text of a value becomes JSON. "instant": converted to epoch milliseconds. "json": valid JSON already,
 * which includes every number, because the tables hold no NaN or infinity. "other": anything else.
 */
type Kind = "instant" | "json" | "other";

/** Something that SQL can compute. In a template it stands as its text. */
export class Expression<Value> {
  /** Never set: only the type carries it. */
  declare readonly value: Value;

  constructor(
    readonly sql: string,
    readonly kind: Kind = "other",
  ) {}

  toString(): string {
    return this.sql;
  }
}

/** A column of a table, qualified by the table's alias. */
export class Column<Value> extends Expression<Value> {
  constructor(
    alias: string,
    /** Unqualified, as `insert` and the left side of `set` want it. */
    readonly name: string,
    kind: Kind,
  ) {
    super(`${alias}.${name}`, kind);
  }
}

/** The columns of a table by the names of their fields. In a template it stands as in `from`: `access_tokens t`. */
export type Table<Model extends Prisma.ModelName> = {
  readonly [Field in keyof Fields<Model>]: Column<Fields<Model>[Field]>;
};

/** The same, where an outer join may find no row. */
type OptionalTable<Model extends Prisma.ModelName> = {
  readonly [Field in keyof Fields<Model>]: Column<Fields<Model>[Field] | null>;
};

/**
 * A table of the schema under an alias, for raw SQL. If a field is renamed or retyped in `schema.prisma`, the statements
 * that use it no longer compile.
 */
export function table<Model extends Prisma.ModelName>(model: Model, alias: string): Table<Model> {
  const { name, columns } = TABLES[model];
  const entries = Object.entries<{ name: string; kind: Kind }>(columns);
  const qualified = entries.map(([field, column]) => [field, new Column(alias, column.name, column.kind)]);
  // `toString` is not enumerable, so that listing the table yields only its columns.
  return Object.defineProperty(Object.fromEntries(qualified), "toString", { value: () => `${name} ${alias}` });
}

/** A table that is outer-joined: each of its columns may be null. */
export function optional<Model extends Prisma.ModelName>(model: Model, alias: string): OptionalTable<Model> {
  return table(model, alias) as OptionalTable<Model>;
}

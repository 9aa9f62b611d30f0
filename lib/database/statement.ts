import { type Column, Expression } from "./tables";

/**
 * The type of a value in the result of raw SQL, which is JSON. An instant becomes epoch milliseconds. A bigint becomes a
 * number, because no counter here exceeds 2^53 − 1.
 */
export type Plain<Value> = Value extends Date | bigint ? number : Value;

type Columns = Readonly<Record<string, Expression<unknown>>>;
/** The type of a row of these columns. */
type RowOf<Selected extends Columns> = { [Name in keyof Selected]: Plain<Selected[Name]["value"]> };

/** SQL and the type of the rows that it returns. SQL that only writes returns none. */
export type Sql<Row> = { readonly sql: string; readonly row?: Row };
/** A text that is the JSON of this value. */
export type JsonOf<Value> = string & { readonly json?: Value };

/** A parameter that belongs to no column, by its PostgreSQL type. */
export function parameter<Value>(type: string): Expression<Value> {
  return new Expression(type);
}

/** `select` of these columns, each under its name here; `rest` begins with `from`. */
export function select<Selected extends Columns>(columns: Selected, rest = ""): Sql<RowOf<Selected>> {
  const list = Object.entries(columns).map(([name, column]) => `${plain(column)} as "${name}"`);
  return { sql: `select ${list.join(", ")} ${rest}` };
}

/** `select distinct on`: keeps the first row for each value of the column. */
export function distinctOn<Row>(column: Expression<unknown>, { sql }: Sql<Row>): Sql<Row> {
  return { sql: sql.replace(/^select/, `select distinct on (${column})`) };
}

/** Returns the rows of a query as one JSON text. Reading it costs a third of reading the rows one by one. */
export function jsonArray<Row>({ sql }: Sql<Row>): Expression<JsonOf<Row[]>> {
  return new Expression(`array_to_json(array(select i from (${sql}) i))::text`);
}

/** JSON of a value that may be null, for `jsonMembers` and `jsonRows`. */
export function orNull<Value>(column: Expression<Value>): Expression<JsonOf<Plain<Value>>> {
  return new Expression(json(column), "json");
}

/** What is never null. */
type Present = number | bigint | string | boolean | Date;
/** Values of a JSON array, each behind a comma, and no brackets. */
export type JsonMembersOf<Value> = string & { readonly member?: Value };
/** What an object of these columns is, once its text is read. */
type ObjectOf<Selected extends Columns> = {
  [Name in keyof Selected]: Selected[Name]["value"] extends JsonOf<infer Value>
    ? Value
    : Plain<Selected[Name]["value"]>;
};

/**
 * An aggregate that writes rows as the objects of a JSON array, in this order. It joins the text value by value, which
 * costs PostgreSQL two thirds of `jsonArray`.
 */
export function jsonMembers<Selected extends Readonly<Record<string, Expression<Present>>>>(
  columns: Selected,
  orderBy: string,
): Expression<JsonMembersOf<ObjectOf<Selected>>> {
  const members = Object.entries(columns).map(([name, column]) => {
    return `"${name}":', ${column.kind === "other" ? json(column) : plain(column)}`;
  });
  return new Expression(`string_agg(concat(',{${members.join(", ',")}, '}'), '' order by ${orderBy})`);
}

type NeverNull = readonly Expression<Present>[];
/** The values of these columns, in the same order, once their text is read. */
export type ValuesOf<Selected extends NeverNull> = {
  -readonly [Place in keyof Selected]: Selected[Place] extends Expression<infer Value> ? Read<Value> : never;
};
/** A plain text is assignable to `JsonOf`, but lacks its member. */
type Read<Value> = "json" extends keyof Value ? (Value extends JsonOf<infer Inner> ? Inner : never) : Plain<Value>;
/** Arrays of the values of rows. */
type JsonRowsOf<Values> = string & { readonly values?: Values };

/** An aggregate: as `jsonMembers`, without the names, for `parseRows`; null for no rows. */
export function jsonRows<const Selected extends NeverNull>(
  columns: Selected,
  orderBy: string,
): Expression<JsonRowsOf<ValuesOf<Selected>> | null> {
  const values = columns.map((column) => (column.kind === "other" ? `to_json(${column})` : plain(column)));
  // A single call joins the values of a row: commas and brackets of their own took a tenth of the statement.
  return new Expression(`string_agg(concat_ws(',', ${values.join(", ")}), '],[' order by ${orderBy})`);
}

/** Reads the text of `jsonRows`. It is faster to read than objects, whose names are half of the text. */
export function parseRows<Values>(text: JsonRowsOf<Values> | null | undefined): Values[] {
  return text ? JSON.parse(`[[${text}]]`) : [];
}

function json(column: Expression<unknown>): string {
  const text = column.kind === "other" ? `to_json(${column})` : `(${plain(column)})`;
  return `coalesce(${text}::text, 'null')`;
}

function plain(column: Expression<unknown>): string {
  return column.kind === "instant" ? epochMs(column) : column.sql;
}

/** SQL of an instant in epoch milliseconds. `date_part` is exact for them and faster than the numeric of `extract`. */
export function epochMs(instant: Expression<unknown> | string): string {
  return `(date_part('epoch', ${instant}) * 1000)::bigint`;
}

type Parameters = Readonly<Record<string, Expression<unknown>>>;
type Given<Taken extends Parameters> = { [Name in keyof Taken]: Taken[Name]["value"] };

/** A raw statement: its text is put together once, when its module is loaded. */
export type Statement<Values, Row> = {
  readonly text: string;
  /** The names of its values, in the order of their placeholders. */
  readonly names: readonly (keyof Values)[];
  readonly row?: Row;
};

/** The type of a row of this statement. */
export type RowOfStatement<Declared> = Declared extends Statement<never, infer Row> ? Row : never;

/** Every statement of the modules that have been loaded. */
export const STATEMENTS: Statement<never, unknown>[] = [];

/**
 * Declares a raw statement. Each of `parameters` is a column, which gives its type, or `parameter(…)`. `build` gets their
 * placeholders.
 */
export function statement<Taken extends Parameters, Row = never>(
  parameters: Taken,
  build: (placeholders: { [Name in keyof Taken]: string }) => Sql<Row>,
): Statement<Given<Taken>, Row> {
  const names = Object.keys(parameters) as (keyof Taken & string)[];
  const placeholders = names.map((name, index) => [name, placeholder(parameters[name], index + 1)]);
  const declared = { text: build(Object.fromEntries(placeholders)).sql, names };
  STATEMENTS.push(declared);
  return declared;
}

function placeholder(parameter: Expression<unknown> | undefined, number: number): string {
  const belongsToColumn = parameter !== undefined && "name" in parameter;
  return belongsToColumn ? `$${number}` : `$${number}::${parameter}`;
}

/** The names of columns, as `insert` wants them. */
export function names(...columns: Column<unknown>[]): string {
  return columns.map(({ name }) => name).join(", ");
}

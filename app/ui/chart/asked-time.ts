import {
  type AskedRange,
  type Comparison,
  parseComparison,
  parseRange,
  type RangeRules,
  type TimeRange,
} from "@/lib/format/time-range";

/** The query of a page, or what an open page says of its own. */
export type Query = Readonly<Record<string, unknown>>;

/** The time that the charts of a page show: one of its fixed ranges, or any other. */
export type AskedTime<Range extends string> = {
  shown: Range | TimeRange;
  asked: AskedRange;
  /** Null: nothing is set beside it. */
  compare: Comparison | null;
  /** What the links of the page keep of the query. */
  params: Record<string, string>;
};

/** The time that a query asks for; the fixed range when `from` and `to` are absent or refused. */
export function askedTime<Range extends string>(query: Query, range: Range, rules: RangeRules): AskedTime<Range> {
  const [asked, compare] = [parseRange(query, rules), parseComparison(query.compare)];
  const compared: Record<string, string> = compare === null ? {} : { compare };
  if (asked.kind !== "range") return { shown: range, asked, compare, params: { range, ...compared } };
  const params = asked.exact ?? { from: String(query.from), to: String(query.to) };
  return { shown: asked.range, asked, compare, params: { ...params, ...compared } };
}

import type { Curve } from "@/lib/servers/curve";

/** A name with what it means, and values or messages as they are sent. */
export type Term = { name: string; text: string; examples: readonly string[] };

/** A curve of the health score. `top`: the points at its upper end. `quantity`: said before each value. */
export type TitledCurve = {
  title: string;
  unit: string;
  quantity?: string | undefined;
  curve: Curve;
  top: number;
  isDeduction: boolean;
};

/** "60 %: 1000", "load 1.5 per core: −100" of a point on a curve. */
export function pointText({ unit, quantity, isDeduction }: TitledCurve, [value, points]: Curve[number]): string {
  return `${quantity ? `${quantity} ` : ""}${value} ${unit}: ${isDeduction && points > 0 ? "−" : ""}${points}`;
}

/** A table with names of rows in its first column; `totals` have a name and one value. */
export type Sum = {
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
  totals: readonly (readonly [name: string, value: number])[];
};

/**
 * A piece of the reference. Texts hold `code` between backticks and [links](to) as Markdown does, and nothing else of it.
 */
export type Block =
  | { kind: "text"; text: string }
  | { kind: "heading"; id: string; text: string }
  | { kind: "list"; items: readonly string[] }
  /** `runs`: the path of its request, where it can be sent from the page. */
  | { kind: "command"; label: string; text: string; runs?: string }
  | { kind: "terms"; terms: readonly Term[] }
  | { kind: "sum"; sum: Sum }
  | { kind: "curves"; curves: readonly TitledCurve[] }
  /** Every endpoint of the document. */
  | { kind: "endpoints" };

/** A paragraph. */
export function text(words: string): Block {
  return { kind: "text", text: words };
}

/** A heading below that of the section. */
export function heading(id: string, words: string): Block {
  return { kind: "heading", id, text: words };
}

/** Lines to copy. */
export function command(label: string, words: string): Extract<Block, { kind: "command" }> {
  return { kind: "command", label, text: words };
}

/** A part of the reference with a name of its own in the URL. */
export type Section = { id: string; title: string; blocks: readonly Block[] };

/** A piece of a text: as it is, code, or a link. */
type Inline =
  | { kind: "plain"; text: string }
  | { kind: "code"; text: string }
  | { kind: "link"; text: string; href: string };

/** The pieces of a text of a block, in order. */
export function inlinesOf(text: string): Inline[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part): Inline => {
    const [, code] = /^`(.+)`$/.exec(part) ?? [];
    if (code !== undefined) return { kind: "code", text: code };
    const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return label !== undefined && href !== undefined
      ? { kind: "link", text: label, href }
      : { kind: "plain", text: part };
  });
}

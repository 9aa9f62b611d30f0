import { UNPRINTABLE } from "@/lib/format/names";

const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE.source, "gu");

/** A text of a customer as one line: line breaks, control characters and what turns the direction of text become spaces. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.replace(ALL_UNPRINTABLE, " ").replace(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`;
}

"use client";

import { useIsAway } from "@/app/ui/live";

export type Tone = "good" | "warning" | "danger";
type Props = { value: string; word: string; sign: string; tone?: Tone | undefined };

/** A status as a word and a sign. While the console does not answer, the page only knows the last one. */
export function StatusBadge({ value, word, sign, tone }: Props) {
  const isAway = useIsAway();
  return (
    <data className={`badge ${tone !== undefined && !isAway ? tone : ""}`} value={value}>
      <span aria-hidden="true">{sign} </span>
      {isAway && "Last known: "}
      {word}
    </data>
  );
}

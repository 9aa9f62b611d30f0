"use client";

import { useIsAway } from "@/app/ui/live";

type Props = { value: string; word: string; sign: string; isWarning?: boolean | undefined };

/** A status as a word and a sign. While the console does not answer, the page only knows the last one. */
export function StatusBadge({ value, word, sign, isWarning }: Props) {
  const isAway = useIsAway();
  return (
    <data className={`badge ${isWarning && !isAway ? "warning" : ""}`} value={value}>
      <span aria-hidden="true">{sign} </span>
      {isAway && "Last known: "}
      {word}
    </data>
  );
}

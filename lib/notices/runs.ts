// What is known of one thing that lasts: when it was bad, when nothing is known of it, and when it was well again.

/** A time in epoch milliseconds, without its end. Null: it goes on. */
type Span = { from: number; to: number | null };

/** Times in epoch milliseconds; `to` is null while it goes on. `isNew`: nobody has considered it yet. */
export type Happening = Span & { kind: string; isNew?: boolean };

/** From a beginning to a true end. It may contain times for which the console has no data. */
export type Run = Span & {
  /** The parts in which it was known to be bad, in order. */
  bad: readonly Span[];
  /** Something in it is new. Of others nothing is told that was not noted before. */
  isNew: boolean;
};

/**
 * The runs of one kind, in order. Silences that follow each other without a gap are one run.
 */
export function runsOf(kind: string, happenings: readonly Happening[]): Run[] {
  const wanted = happenings.filter((one) => one.kind === kind);
  const groups: Happening[][] = [];
  for (const one of wanted.toSorted((a, b) => a.from - b.from)) {
    const last = groups.at(-1);
    const end = last?.at(-1)?.to;
    if (last && kind === "offline" && (end === null || end === one.from)) last.push(one);
    else groups.push([one]);
  }
  return groups.map((group) => ({
    from: group[0]?.from ?? 0,
    to: group.at(-1)?.to ?? null,
    isNew: group.some(({ isNew }) => isNew === true),
    bad: group.filter((one) => one.kind === kind).map(({ from, to }) => ({ from, to })),
  }));
}

/** Whether it is known to be over, or to go on. */
export function isKnown({ to, bad }: Run): boolean {
  return to !== null || bad.at(-1)?.to === null;
}

/** From when on a run has been bad for `delay` (ms) at a stretch. Null: it was not, and is not going to be as things stand. */
export function overdueFrom(run: Run, delay: number): number | null {
  const long = run.bad.find(({ from, to }) => to === null || to - from >= delay);
  return long ? long.from + delay : null;
}

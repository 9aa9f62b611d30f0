import { type Fields, log } from "@/lib/process/log";
import { perProcess } from "@/lib/process/per-process";
import { MINUTE, SECOND } from "@/lib/time";

/** Something that may happen again and again for one and the same reason. */
export type Repeated = {
  level: "info" | "error";
  event: string;
  /** Tells the reasons of one event apart. */
  reason?: string;
  /** The event that ends it, where something says when it is over. Without it, it is over when it stays away. */
  over?: string;
};

type Episode = {
  repeated: Repeated;
  fields: Fields;
  since: number;
  last: number;
  count: number;
  counted: number;
  toldAt: number;
  mayBeOver: boolean;
};

/** While it lasts, one line says how often it happened since the line before. */
const TELL_EVERY = MINUTE;
/** What has not happened for so long is over. */
const OVER_AFTER = MINUTE;
/** What is said to be over must have stayed away for so long, or each success between two failures would be a line. */
const SETTLED_AFTER = 3 * SECOND;
const LOOK_EVERY = SECOND;
/** Beyond so many at a time, those of one event are counted together. */
const MAX_EPISODES = 100;

const state = perProcess("repeated-events", () => ({
  episodes: new Map<string, Episode>(),
  timer: undefined as NodeJS.Timeout | undefined,
}));

/**
 * Logs what may be repeated: a line when it begins, a count each minute while it lasts, and a line when it is over. The
 * fields of the first and, with each count, of the latest are written.
 */
export function logRepeated(repeated: Repeated, fields: Fields): void {
  const { episodes } = state;
  const now = Date.now();
  const key = keyOf(repeated);
  const episode = episodes.get(key);
  if (episode) {
    Object.assign(episode, { fields, last: now, count: episode.count + 1, mayBeOver: false });
    return;
  }
  log(repeated.level, repeated.event, fields);
  episodes.set(key, { repeated, fields, since: now, last: now, count: 1, counted: 1, toldAt: now, mayBeOver: false });
  state.timer ??= setInterval(look, LOOK_EVERY).unref();
}

/** Says that an event which names its end is over, as far as the caller can tell. Costs nothing when nothing is wrong. */
export function endRepeated(event: string): void {
  if (state.episodes.size === 0) return;
  const episode = state.episodes.get(event);
  if (episode) episode.mayBeOver = true;
}

function keyOf({ event, reason }: Repeated): string {
  const key = reason === undefined ? event : `${event}\n${reason}`;
  return state.episodes.has(key) || state.episodes.size < MAX_EPISODES ? key : `${event}\nand others`;
}

function look(): void {
  const now = Date.now();
  for (const [key, episode] of state.episodes) {
    if (isOver(episode, now)) {
      state.episodes.delete(key);
      tellEnd(episode);
    } else if (now - episode.toldAt >= TELL_EVERY) {
      tellCount(episode, now);
    }
  }
  if (state.episodes.size > 0) return;
  clearInterval(state.timer);
  state.timer = undefined;
}

function isOver({ repeated, last, mayBeOver }: Episode, now: number): boolean {
  return repeated.over === undefined ? now - last >= OVER_AFTER : mayBeOver && now - last >= SETTLED_AFTER;
}

function tellCount(episode: Episode, now: number): void {
  const { repeated, fields, since, count, counted } = episode;
  if (count > counted) {
    log(repeated.level, repeated.event, { ...fields, repeated: count - counted, since: new Date(since).toISOString() });
  }
  Object.assign(episode, { counted: count, toldAt: now });
}

/** What happened once and is not said to be over needs no second line. */
function tellEnd({ repeated, since, last, count }: Episode): void {
  if (count === 1 && repeated.over === undefined) return;
  const lasted = { count, seconds: Math.round((last - since) / SECOND) };
  if (repeated.over === undefined)
    log("info", `over: ${repeated.event}`, { reason: repeated.reason?.split("\n")[0], ...lasted });
  else log("info", repeated.over, lasted);
}

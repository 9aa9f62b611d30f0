import { SECRETS } from "./seed";

// Writes answers for people: what differs with each run has a name, and a page is what somebody reads of it.

const MONTHS =
  "Jan(?:uary)?|Feb(?:ruary)?|March?|April?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
type Names = [pattern: RegExp, name: string | ((found: string) => string)][];
/** What differs with each run, and its name. */
const NAMES: Names = [
  [/\b(?:cpat|csrv|cbench|cedg)_[0-9A-Za-z]{36}\b/g, (raw) => `<${SECRETS.get(raw) ?? `a new ${raw.split("_")[0]}`}>`],
  [/(?<=cpat_…|ending in )[0-9A-Za-z]{4}\b/g, (hint) => (isKnownHint(hint) ? hint : "<hint>")],
  [/(?<=session=)[\w-]{43}/g, (raw) => `<${SECRETS.get(raw) ?? "a new session"}>`],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "<id>"],
  [/(?<=nonce-|nonce=")[\w+/]+=*(?=['"])/g, "<nonce>"],
  [/(?<=\$ACTION_ID_)[0-9a-f]+|(?<="id":")[0-9a-f]{40,}(?=")/g, "<action>"],
  [/(?<=\$ACTION_(?:REF_)?)\d+/g, "<n>"],
  [/\/_next\/static\/[\w./~-]+/g, "/_next/static/<file>"],
  [/(?<=Retry in )(?:[1-9]|[1-5]\d|60)(?= second)/g, "<1 to 60>"],
];
const isKnownHint = (hint: string) => [...SECRETS.keys()].some((raw) => raw.endsWith(hint));
/** Dates of 2025 are those of the seed, and stay. */
const DATES: Names = [
  [/\b\w{3}, \d\d \w{3} 20(?!25)\d\d \d\d:\d\d:\d\d GMT/g, "<date>"],
  [new RegExp(`(?<!\\d)\\d{1,2} (?:${MONTHS}) 20(?!25)\\d\\d(?:,? (?:at )?\\d\\d:\\d\\d(?::\\d\\d)?)?`, "g"), "<date>"],
  [/\b20(?!25)\d\d-\d\d-\d\d\b(?!T)/g, "<date>"],
  [/\b(?:just now|less than a minute ago|(?:\d+|a|one) (?:second|minute)s? ago)\b/g, "<moments ago>"],
  [/(?<=is )\d{8,}(?= minutes)/g, "<many>"],
];
const [MINUTE, HOUR] = [60_000, 3_600_000];
/** An instant in milliseconds, in seconds, or as text. */
const INSTANT =
  /\b1[7-9]\d{11}\b|\b1[7-9]\d{8}(?:\.\d+)?\b|\b20(?!25)\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;
/** A replay ends within this time. */
const LONGEST = 20 * MINUTE;

/** Names what differs with each run. `start` is when the recording began; null leaves instants and dates as they are. */
export function withNames(text: string, start: number | null): string {
  const timed = start === null ? text : text.replaceAll(INSTANT, (found) => instantName(found, start));
  const patterns = start === null ? NAMES : [...NAMES, ...DATES];
  return patterns.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name as (found: string) => string), timed);
}

/** By how far it lies from the start: a whole time as in the seed, or the beginning of a range that ends at a request. */
function instantName(found: string, start: number): string {
  const ms = found.includes("T") ? Date.parse(found) : Number(found) * (/^\d{13}$/.test(found) ? 1 : 1000);
  if (ms < Date.UTC(2026)) return found;
  const apart = ms - start;
  const range = [0, 1, 24, 7 * 24].find(
    (hours) => apart + hours * HOUR >= -2 * MINUTE && apart + hours * HOUR < LONGEST,
  );
  if (range !== undefined) return range === 0 ? "<now>" : `<now-${range}h>`;
  return `<now${apart < 0 ? "-" : "+"}${apart % HOUR === 0 ? `${Math.abs(apart / HOUR)}h` : `${Math.abs(apart / MINUTE)}m`}>`;
}

/** Compact JSON as lines; any other text stays as it is. */
export function indented(text: string): string {
  try {
    const value = JSON.parse(text);
    if (JSON.stringify(value) === text) {
      const lines = JSON.stringify(value, null, 1);
      return lines.replaceAll(
        /\[\s+(-?[\d.]+(?:,\s+-?[\d.]+)*)\s+\]/g,
        (_, numbers) => `[${numbers.replaceAll(/\s+/g, " ")}]`,
      );
    }
  } catch {}
  return text;
}

const BLOCK =
  /^(?:title|main|header|footer|nav|section|article|aside|div|p|ul|ol|li|dl|dt|dd|table|tr|caption|fieldset|legend|label|details|summary|dialog|pre|form|h[1-6])$/;
const FIELD = /^(?:input|textarea|select|option|button|form)$/;
/** The attributes that say what a form sends. */
const SENT = ["method", "action", "type", "name", "value", "checked", "selected", "required", "disabled", "maxlength"];
/** Fields with another value on each page. */
const VARYING = /^(?:\$ACTION_KEY|.*nonce.*)$/i;

type Field = { tag: string; attributes: Record<string, string> };
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'", nbsp: " " };
const decoded = (text: string) => text.replaceAll(/&(\w+|#\w+);/g, (whole, name) => ENTITIES[name] ?? whole);

function* tokensOf(html: string): Generator<string | (Field & { isEnd: boolean })> {
  const shown = html.replaceAll(/<!--.*?-->|<!doctype[^>]*>|<(script|style|svg|template)\b[^>]*>.*?<\/\1>/gis, "");
  for (const [token, slash, tag = "", attributes = ""] of shown.matchAll(
    /<(\/?)([a-z]\w*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>|[^<]+/gi,
  )) {
    if (tag === "") yield decoded(token).replaceAll(/\s+/g, " ");
    else {
      const pairs = [...attributes.matchAll(/([^\s=>]+)(?:="([^"]*)")?/g)];
      const named = Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, decoded(value)]));
      yield { tag: tag.toLowerCase(), attributes: named, isEnd: slash === "/" };
    }
  }
}

/** What somebody reads of a page: its text by lines, its headings, links and forms. */
export function pageText(html: string): string {
  let text = "";
  let href: string | undefined;
  for (const token of tokensOf(html)) {
    if (typeof token === "string") {
      text += token;
      continue;
    }
    const { tag, attributes, isEnd } = token;
    const level = Number(/^h([1-6])$/.exec(tag)?.[1] ?? 0);
    if (FIELD.test(tag)) text += isEnd ? (tag === "form" ? "\n</form>\n" : "\n") : `\n<${written(token)}>\n`;
    else if (level > 0 && !isEnd) text += `\n${"#".repeat(level)} `;
    else if (/^t[dh]$/.test(tag)) text += isEnd ? " | " : "";
    else if (tag === "a") text += isEnd ? `](${href}) ` : " [";
    else text += level > 0 || BLOCK.test(tag) ? "\n" : " ";
    if (tag === "a" && !isEnd) href = attributes.href;
    if (!isEnd && /^(?:alert|status)$/.test(attributes.role ?? "")) text += `\n(${attributes.role}) `;
  }
  const lines = text.split("\n").map((line) =>
    line
      .replaceAll(/ +/g, " ")
      .replaceAll(/ (?=[,;)\]]|[.:](?: |$))|(?<=[[(]) /g, "")
      .trim(),
  );
  return lines.filter((line) => line !== "" && !/^\((?:alert|status)\)$/.test(line)).join("\n");
}

/** The title and the headings of a page. */
export function outline(html: string): string {
  const lines = pageText(html).split("\n");
  return lines.filter((line, at) => at === 0 || line.startsWith("#")).join("\n");
}

/** What a page says otherwise than the page before: lines that went, and lines that came; of another page everything. */
export function changesFrom(before: string): (html: string) => string {
  const lines = (html: string) => withNames(pageText(html), Date.now()).split("\n");
  const old = lines(before);
  return (html) => {
    const now = lines(html);
    if (now[0] !== old[0]) return now.join("\n");
    const went = old.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
    return [...went, ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)].join("\n");
  };
}

function written({ tag, attributes }: Field): string {
  const value = VARYING.test(attributes.name ?? "") ? { ...attributes, value: "<varies>" } : attributes;
  const sent = SENT.filter((name) => name in value).map((name) =>
    value[name] === "" ? name : `${name}=${value[name]}`,
  );
  return [tag, ...sent].join(" ");
}

/** The fields of the form that has this button, as a browser without JavaScript would send them. */
export function formFields(html: string, button: string): Map<string, string> {
  const form = html.match(/<form[\s\S]*?<\/form>/g)?.find((each) => pageText(each).split("\n").includes(button));
  if (!form) throw new Error(`No form has "${button}".`);
  const fields = new Map<string, string>();
  let [select, textarea] = ["", ""];
  for (const token of tokensOf(form)) {
    if (typeof token === "string") {
      if (textarea !== "") fields.set(textarea, token.trim());
      continue;
    }
    const { tag, attributes, isEnd } = token;
    const { name = "", value = "", type = "" } = attributes;
    if (tag === "select") select = name;
    if (tag === "textarea") textarea = isEnd ? "" : name;
    const isChosen =
      tag === "option" ? "selected" in attributes || !fields.has(select) : tag === "input" || tag === "textarea";
    const isOff = /^(?:radio|checkbox)$/.test(type) && !("checked" in attributes);
    const key = tag === "option" ? select : name;
    if (isChosen && !isOff && !isEnd && key !== "") fields.set(key, value);
  }
  return fields;
}

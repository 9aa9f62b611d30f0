import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { containsToken } from "@/lib/tokens/format";

/** Counted in code points, not in UTF-16 units. */
const MAX_LABEL_LENGTH = 64;
/** What the domain name system allows. */
const MAX_HOSTNAME_LENGTH = 253;

/** The names that the owner gives a server. An empty hostname is taken from the machine's next check-in that tells it. */
export type ServerNames = { label: string; hostname: string };

/** Trims and checks both names. Returns them, or the error of the first invalid one. */
export function checkServerNames({
  label,
  hostname,
}: ServerNames): { kind: "valid"; names: ServerNames } | InvalidField<"label" | "hostname"> {
  const checkedLabel = checkLabel(label);
  if (checkedLabel.kind === "invalid") return checkedLabel;
  const trimmed = hostname.trim();
  const problem = problemOfHostname(trimmed);
  return problem === null
    ? { kind: "valid", names: { label: checkedLabel.label, hostname: trimmed } }
    : invalid("hostname", problem);
}

/** The label of a server or of a benchmark run, trimmed; or what is wrong with it. */
export function checkLabel(text: string): { kind: "valid"; label: string } | InvalidField<"label"> {
  const label = normalName(text);
  if (label === "") return invalid("label", "Enter a label.");
  if (containsToken(label)) return invalid("label", "That looks like a token or a key. Enter a label.");
  const problem = nameProblem("label", label, MAX_LABEL_LENGTH);
  return problem === null ? { kind: "valid", label } : invalid("label", problem);
}

/** The hostname that a machine reports; null when it reports none that the list could show. */
export function toldHostname(fact: unknown): string | null {
  return typeof fact === "string" && fact !== "" && problemOfHostname(fact) === null ? fact : null;
}

function problemOfHostname(hostname: string): string | null {
  if (hostname === "") return null;
  if (hostname.length > MAX_HOSTNAME_LENGTH) {
    return `A hostname has at most ${MAX_HOSTNAME_LENGTH} characters; this one has ${hostname.length}.`;
  }
  if (!hostname.split(".").every((part) => /^[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?$/i.test(part))) {
    return "A hostname consists of letters, digits and hyphens, with dots between its parts, such as web-1.example.com.";
  }
  return containsToken(hostname) ? "That looks like a token or a key. Enter a hostname." : null;
}

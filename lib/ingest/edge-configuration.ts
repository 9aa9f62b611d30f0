import { MINUTE, SECOND } from "@/lib/format/time";
import {
  acknowledgeAbsence,
  type Configuration,
  forgetGone,
  markFetched,
} from "@/lib/game-services/edges/configuration";
import { configurationWatch } from "@/lib/game-services/edges/configuration-watch";
import { acceptsGzip } from "@/lib/http/accepts-gzip";
import type { Policy } from "@/lib/rate-limit";
import { requireNode } from "./edge-nodes";
import type { Answer } from "./endpoint";

/** The longest that a request is held, in seconds: well below the 30 after which proxies and our server give up. */
const MAX_WAIT_SECONDS = 25;
/** A node that uses `wait` asks about three times a minute. */
const FETCHES: Policy = { name: "edge-configuration", limit: 120, windowMs: MINUTE };

/**
 * The configuration of every game service, for an edge node: 401, 429, then 200 or 304. With `If-None-Match` the node says
 * which revision it was given; with `Prefer: wait=25` the request is held until there is another one. A second request of
 * the node takes the place of the held one, which is answered with 304 at once.
 * @throws ApiError with what the node is told.
 */
export async function fetchConfiguration(request: Request): Promise<Answer> {
  const node = await requireNode(request, FETCHES);
  const known = revisionsOf(request.headers.get("if-none-match"));
  const waitSeconds = waitOf(request.headers.get("prefer"));
  const current = await (waitSeconds > 0 ? configurationWatch.lookLately() : configurationWatch.look());
  if (known.length === 0) await forgetGone(current, node.id);
  if (!known.includes(current.revision)) return whole(current, request);
  await acknowledgeAbsence(current, [node.id]);
  if (waitSeconds === 0) return notModified(current.revision);
  const next = await configurationWatch.wait(node.id, current.revision, waitSeconds * SECOND, request.signal);
  const held = { "Preference-Applied": `wait=${waitSeconds}` };
  return next ? whole(next, request, held) : notModified(current.revision, held);
}

async function whole(
  configuration: Configuration,
  request: Request,
  held: Record<string, string> = {},
): Promise<Answer> {
  await markFetched(configuration);
  const headers = { ETag: tagOf(configuration.revision), ...held };
  if (!acceptsGzip(request.headers.get("accept-encoding"))) {
    return { body: configuration.json, status: 200, headers };
  }
  return { body: await configuration.gzipped(), status: 200, headers: { ...headers, "Content-Encoding": "gzip" } };
}

function notModified(revision: string, held: Record<string, string> = {}): Answer {
  return { body: null, status: 304, headers: { ETag: tagOf(revision), ...held } };
}

/** Weak, because the configuration may be sent compressed or not, and a strong tag would promise the same bytes. */
function tagOf(revision: string): string {
  return `W/"${revision}"`;
}

/** The revisions in `If-None-Match`, however they are quoted. */
function revisionsOf(header: string | null): string[] {
  return (header ?? "").split(",").flatMap((text) => text.trim().replace(/^W\//, "").replaceAll('"', "") || []);
}

/** The seconds of `Prefer: wait=…` (RFC 7240), as many as are granted; 0 for none. */
function waitOf(header: string | null): number {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(header ?? "") ?? [];
  return Math.min(MAX_WAIT_SECONDS, Number(seconds ?? 0));
}

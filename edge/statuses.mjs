import { MAX_PROTOCOLS, MAX_STATUS, MAX_STATUSES } from "./limits.mjs";
import { ANY_PROTOCOL } from "./minecraft.mjs";

/** What players read of a hostname that no service has, and of an origin that is away and has no text of its owner. */
export const UNKNOWN_TEXT = "There is no game server with this name here.";
export const AWAY_TEXT = "This server is offline. Try again later.";
export const SOON_TEXT = "This server is busy. Try again in a moment.";

/**
 * The status of a server that is away: the last one that it had, without players, and crossed out by clients.
 * @param {string | null} last the JSON of its last status
 * @param {string | undefined} text of the owner
 */
export function awayStatus(last, text) {
  /** @type {{ description?: unknown, favicon?: unknown, players?: { max?: unknown } }} */
  const { description, favicon, players } = last === null ? {} : JSON.parse(last);
  const max = Number.isInteger(players?.max) ? players?.max : 0;
  return JSON.stringify({
    // Clients show the name of a version that they cannot play in the place of the players.
    version: { name: "Offline", protocol: -1 },
    players: { max, online: 0 },
    description: text || last === null ? { text: text || AWAY_TEXT } : description,
    ...(typeof favicon === "string" && { favicon }),
  });
}

/** The last answers of origins to this node's own pings, by service and version of the protocol. */
export class Statuses {
  /** The version that was asked for last comes last. @type {Map<number, Map<number, string>>} */
  #kept = new Map();
  #size = 0;

  /** @param {readonly [number, [number, string][]][]} kept */
  constructor(kept) {
    for (const [service, answers] of kept) for (const [protocol, text] of answers) this.keep(service, protocol, text);
  }

  /** The versions of the protocol that clients of a service asked with. @param {number} service */
  protocolsOf(service) {
    return [...(this.#kept.get(service)?.keys() ?? [])].filter((protocol) => protocol !== ANY_PROTOCOL);
  }

  /** @param {number} service */
  has(service) {
    return this.#kept.has(service);
  }

  /** The answer to this version of the protocol, or to none. @param {number} service @param {number} protocol */
  find(service, protocol) {
    const answers = this.#kept.get(service);
    const own = answers?.get(protocol);
    if (own === undefined || protocol === ANY_PROTOCOL) return own ?? answers?.get(ANY_PROTOCOL) ?? null;
    answers?.delete(protocol);
    answers?.set(protocol, own);
    return own;
  }

  /** Whether there is an answer to exactly this version. @param {number} service @param {number} protocol */
  knows(service, protocol) {
    return this.#kept.get(service)?.has(protocol) ?? false;
  }

  /**
   * Keeps an answer in the place of the one before. Those that were not asked for the longest make room.
   * @param {number} service
   * @param {number} protocol
   * @param {string} text
   */
  keep(service, protocol, text) {
    const answers = this.#kept.get(service) ?? new Map();
    const more = text.length - (answers.get(protocol)?.length ?? 0);
    const least = text.length + (protocol === ANY_PROTOCOL ? 0 : (answers.get(ANY_PROTOCOL)?.length ?? 0));
    if (least > MAX_STATUS || this.#size + more > MAX_STATUSES) return;
    this.#drop(answers, protocol);
    // The one of no version is every client's last resort, so it stays.
    const others = [...answers.keys()].filter((one) => one !== ANY_PROTOCOL);
    const sizeOf = () => [...answers.values()].reduce((sum, one) => sum + one.length, text.length);
    while (others.length > 0 && (answers.size >= MAX_PROTOCOLS || sizeOf() > MAX_STATUS))
      this.#drop(answers, others.shift());
    answers.set(protocol, text);
    this.#size += text.length;
    this.#kept.set(service, answers);
  }

  /** @param {number} service */
  forget(service) {
    const answers = this.#kept.get(service) ?? new Map();
    for (const protocol of answers.keys()) this.#drop(answers, protocol);
    this.#kept.delete(service);
  }

  /** Forgets the services that are not in this list. @param {ReadonlySet<number>} services */
  keepOnly(services) {
    for (const service of this.#kept.keys()) if (!services.has(service)) this.forget(service);
  }

  toJSON() {
    return [...this.#kept].map(([service, answers]) => [service, [...answers]]);
  }

  /** @param {Map<number, string>} answers @param {number | undefined} protocol */
  #drop(answers, protocol) {
    if (protocol === undefined) return;
    this.#size -= answers.get(protocol)?.length ?? 0;
    answers.delete(protocol);
  }
}

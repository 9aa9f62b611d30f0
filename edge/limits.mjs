export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
/** Intervals are kept this long while the console is away. It takes them until they are two hours old. */
export const SPOOL_TIME = 118 * MINUTE;
/** The console takes no longer text as the error of a service. */
export const MAX_ERROR = 256;
/** The console refuses what is further ahead of its clock. */
export const MAX_CLOCK_ERROR = 3 * SECOND;
/** The most intervals, and the most acknowledgements, of one report. */
export const REPORT_SIZE = 500;
/** Seconds that the console may hold a request for the configuration. */
export const HOLD_SECONDS = 25;
/** No request to the console takes longer. */
export const REQUEST_TIME = 40 * SECOND;
/** No configuration is longer, in bytes. */
export const MAX_ANSWER = 32 * 2 ** 20;
/** The longest wait that the console may ask for. */
export const MAX_RETRY_AFTER = 15 * MINUTE;
/** A slot rests this long before another service gets it: HAProxy may still be connecting a player of the one before. */
export const SLOT_REST = 30 * SECOND;
/** Players stay with an origin that was changed until they leave, this long at most. */
export const DRAIN_TIME = 60 * MINUTE;
/** Counters are read and kept this often, so that a restart of HAProxy loses little. */
export const READ_EVERY = 10 * SECOND;
/** HAProxy and nft answer within this time, on a busy machine too. */
export const TOOL_TIME = 15 * SECOND;
/** An origin answers a ping and DNS a question within this time. */
export const PING_TIME = 3 * SECOND;
/** No answer to a status ping is longer, in bytes; so many bytes of a service's answers are kept, and of all together. */
export const MAX_STATUS = 64 * 1024;
export const MAX_STATUSES = 64 * 2 ** 20;
/** Answers of a service that are kept, each for another version of the protocol. */
export const MAX_PROTOCOLS = 8;
/** With so many failed connections of players in a row, the origin is away. */
export const AWAY_AFTER = 2;
/** An origin that is reached but answers no status ping is back after this time. */
export const SILENT_TIME = MINUTE;
/** More status pings a second of a service are answered by the node. */
export const PINGS_TO_ORIGIN = 20;
/** Connections a second that the node answers itself, and those of them that ask for unknown hostnames. */
export const ANSWERS_A_SECOND = 1000;
export const UNKNOWN_A_SECOND = 200;
/** A client of the node's own answers is closed after this time, and when it sends more bytes. */
export const ANSWER_TIME = 5 * SECOND;
export const MAX_REQUEST = 4096;
/** Clients that wait for the node's own answers at once. */
export const MAX_ASKERS = 2000;
/** Pings that run at once. */
export const PINGS_AT_ONCE = 32;
/** Look-ups that run at once: many, because a name whose servers are silent takes its whole time. */
export const NAMES_AT_ONCE = 512;
/** Pings leave from these ports, which nftables does not count. They lie above Linux' own range for clients. */
export const PING_PORTS = { first: 61_000, last: 61_999 };
/**
 * Where services share an origin, all but the first leave from ports of their own, so that packets can be told apart. The
 * ranges lie below and above Linux' own range for clients and the ports of pings.
 */
export const RANGE_SIZE = 1024;
export const RANGES = [
  ...Array.from({ length: 22 }, (_, index) => 10_240 + index * RANGE_SIZE),
  ...Array.from({ length: 3 }, (_, index) => 62_464 + index * RANGE_SIZE),
];

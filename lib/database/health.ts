import { Prisma } from "@/lib/database/client";

/** Prisma's own codes for a database that cannot be reached, gave no answer, or has no connection left (in time). */
const PRISMA_CODES = new Set([
  "P1000",
  "P1001",
  "P1002",
  "P1003",
  "P1008",
  "P1011",
  "P1017",
  "P2024",
  "P2028",
  "P2037",
]);

/**
 * PostgreSQL's codes for: statement cancelled, shutting down, starting up, out of connections, out of resources, lock not
 * available, read-only standby, refused credentials, and a database that does not exist yet.
 */
const SQLSTATES = /^(?:57014|57P0[1-5]|53\d{3}|08\w{3}|55P03|25006|28000|28P01|3D000)$/;

const SOCKET_CODES = new Set(
  "ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN".split(" "),
);

/** Errors of `pg` and of Prisma in a transaction that have no code: the query timed out or the connection broke. */
const MESSAGES =
  /Query read timeout|Connection terminated|terminating connection|Server has closed the connection|^(?:ConnectionClosed|SocketTimeout|DatabaseNotReachable)$|Can't reach database server|Client has encountered a connection error|not queryable/i;

/** The error of the `pg` pool when no connection becomes free in time. */
const EXHAUSTED = /timeout exceeded when trying to connect/;

/** Whether an error means that this process has no connection left, whatever the state of the database is. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && (EXHAUSTED.test(error.message) || isPoolExhausted(error.cause));
}

/**
 * Whether an error means that the database is away, starting, overloaded or too slow. The request itself is fine, and a
 * retry may succeed.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isPoolExhausted(error)) return true;
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  const code = String((error as { code?: unknown }).code ?? "");
  return (
    PRISMA_CODES.has(code) ||
    SOCKET_CODES.has(code) ||
    SQLSTATES.test(sqlState(error) ?? code) ||
    MESSAGES.test(error.message) ||
    isDatabaseUnavailable(error.cause)
  );
}

/** A raw query fails as P2010 with the driver's own error inside `meta`. */
function sqlState(error: Error): string | undefined {
  const { meta } = error as { meta?: { code?: string; driverAdapterError?: { cause?: { originalCode?: string } } } };
  return meta?.driverAdapterError?.cause?.originalCode ?? meta?.code;
}

import { accessSync, constants, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PlainError } from "../../lib/failures";
import { isAbandoned, readClaim, tryClaim } from "../../lib/process/pid-file.mjs";

/** The right to open the database's files. */
type Ownership = {
  /** Tells other processes where the database answers; with an empty text, that it does not. */
  announce(url: string): void;
  release(): void;
};

/**
 * Makes this process the only one that opens the files, as long as it lives.
 * @throws PlainError when another process has them open: two at once would destroy them.
 */
export async function claimFiles(dataDir: string): Promise<Ownership> {
  const file = ownerFile(dataDir);
  requireWritable(dataDir);
  const owner = readClaim(file);
  // Without start times, a reused process number looks alive. So an owner that announced a URL must also answer there.
  const isSilent = owner?.started === null && owner.note !== "" && !(await isServing(owner.note));
  const claim = tryClaim(file, (found) => isAbandoned(found) || (isSilent && found.id === owner.id));
  if (claim) return { announce: claim.note, release: claim.release };
  throw new PlainError(
    `The embedded database in ${dataDir} is in use by process ${readClaim(file)?.pid}. Stop that one first, or set DATA_DIR to another folder.`,
  );
}

/** The URL that the owner of these files announced; null when no process owns them. */
export function announcedUrl(dataDir: string): string | null {
  const owner = readClaim(ownerFile(dataDir));
  return owner && !isAbandoned(owner) ? owner.note || null : null;
}

/** The URL of the embedded database that another process serves from these files; null when none does. */
export async function findRunningDatabase(dataDir: string): Promise<string | null> {
  const url = announcedUrl(dataDir);
  return url && (await isServing(url)) ? withoutNames(url) : null;
}

/** The URL by which the console uses no named statements, because all clients of the embedded database share them. */
export const withoutNames = (url: string) => `${url}?pgbouncer=true`;

/** Whether something listens there. */
function isServing(url: string): Promise<boolean> {
  if (!URL.canParse(url)) return Promise.resolve(false);
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const finish = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}

function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new PlainError(`The folder ${dataDir} (DATA_DIR) cannot be written to: ${reason}.`);
  }
}

function ownerFile(dataDir: string): string {
  return join(dataDir, "owner.json");
}

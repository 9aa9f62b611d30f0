// What stock agents report, in words of our own. A key names what was read, its parts separated by "|":
//
//   cpu|0|idle            seconds or ticks that a core (or "all") spent in a state; grows
//   cpu%|idle             percent of all cores, computed by the agent
//   load5
//   mem|total             bytes; also available, taken (total without available), used, free, buffered, cached
//   swap|used|device      bytes; also free and total
//   arc|size              bytes of the cache of ZFS; also least and most, which it may shrink and grow to
//   disk|/mount|used      bytes; also available, size, unused (with what is reserved for root), and readonly (0 or 1).
//                         disk|ro|/mount|used where the agent tells the mode with each size
//   tcp|sent, tcp|resent  segments; grow
//   oom                   processes killed for lack of memory; grows
//   loss|target           percent of packets lost
//   uptime, boot, start   seconds; since 1970; since 1970, of the counters
//   failed                failed units
export type ReadingKey = string;

/** One value of a foreign series. A null ends the series: its machine no longer reports it. */
export type Reading = { key: ReadingKey; ts: number; value: number | null };

/** Values by their keys. */
export type Readings = Readonly<Record<ReadingKey, number>>;

/** In bytes of JSON, as the database keeps it. Longer keys are ignored. Only the path of a file system can make one so long. */
const LONGEST_KEY = 128;

/** Cores that are counted. The shares of a larger machine are those of these cores. */
const MOST_CORES = 256;

/** The states that /proc/stat counts time in, by the names in keys. */
const CPU_STATES = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];

/** File systems that keep files, as the daemon counts them. */
const DISK_TYPES = /^(?:ext[234]|xfs|btrfs|zfs|f2fs|jfs|bcachefs|reiserfs|vfat)$/;
/** Of these also the root does not count: it is elsewhere, or was made as an image. */
const OTHER_ROOTS = /^(?:nfs|cifs|smb|9p|ceph|afs|fuse\.|(?:erofs|squashfs|iso9660|cramfs|romfs|overlay ro)$)/;

/** The key of the time that a core spends in a state; null for other states and cores. */
export function cpuKey(core: string | undefined, state: string | undefined): ReadingKey | null {
  if (state === undefined || !CPU_STATES.includes(state)) return null;
  if (core !== "all" && !(core !== undefined && /^\d{1,3}$/.test(core) && Number(core) < MOST_CORES)) return null;
  return `cpu|${core}|${state}`;
}

/** What keys of read-only file systems begin with, where the agent tells the mode with each size. */
export const READ_ONLY_DISK = "disk|ro|";

/**
 * The key of a size of a file system; null where it keeps no files of the machine. `type` and `mode` ("ro", "rw") are unknown
 * to some agents.
 */
export function diskKey(
  mount: string | undefined,
  type: string | undefined,
  size: string,
  mode?: string,
): ReadingKey | null {
  if (mount === undefined) return null;
  // An overlay that cannot be written to is an image, too.
  const root = type === "overlay" && mode === "ro" ? "overlay ro" : type;
  const counts = root === undefined || DISK_TYPES.test(root) || (mount === "/" && !OTHER_ROOTS.test(root));
  return counts ? bounded(`${mode === "ro" ? READ_ONLY_DISK : "disk|"}${mount}|${size}`) : null;
}

const PLAIN = /^[\w|/.-]*$/;

/** The key, unless it is too long. */
export function bounded(key: ReadingKey): ReadingKey | null {
  // No character takes more than six bytes, nor do the two quotes; these take one each.
  if (6 * (key.length + 1) <= LONGEST_KEY || (key.length + 2 <= LONGEST_KEY && PLAIN.test(key))) return key;
  return key.length <= LONGEST_KEY && Buffer.byteLength(JSON.stringify(key)) <= LONGEST_KEY ? key : null;
}

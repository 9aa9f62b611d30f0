import { accessSync, constants, existsSync } from "node:fs";

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
/** Where systems keep the certificates that they trust: what `sslrootcert=system` means. */
const SYSTEM_ROOTS = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Why the TLS parameters of a database's URL cannot be; null when they can. */
export function tlsProblem(connectionString: string): string | null {
  const { mode, roots } = tlsOf(connectionString);
  if (mode !== null && !MODES.includes(mode)) return `sslmode is one of ${MODES.slice(0, -1).join(", ")}.`;
  if (roots === "system" && mode !== null && mode !== "verify-full") {
    return "with sslrootcert=system, sslmode is verify-full, as for psql.";
  }
  if (mode === "verify-ca" && !roots) return "sslmode=verify-ca needs sslrootcert, the file of the authority.";
  if (roots && roots !== "system" && !isReadable(roots)) return "the file that sslrootcert names cannot be read.";
  return null;
}

/** Whether a connection is encrypted without a look at whose server it is. */
export function isUnverified(connectionString: string): boolean {
  const { mode, roots } = tlsOf(connectionString);
  return mode === "prefer" || mode === "no-verify" || (mode === "require" && !roots);
}

/**
 * The URL for `pg`, whose own reading of TLS parameters differs from that of PostgreSQL's programs: one URL serves the
 * console, psql and pg_dump. `require` encrypts, and checks the certificate only with `sslrootcert`. `prefer` is `require`,
 * `allow` is `disable`: nothing is tried twice.
 */
export function withLibpqTls(connectionString: string): string {
  const { mode, roots } = tlsOf(connectionString);
  if (mode === null && roots === null) return connectionString;
  const url = new URL(connectionString);
  const set = (name: string, value: string) => url.searchParams.set(name, value);
  set("uselibpqcompat", "true");
  if (mode === "allow") set("sslmode", "disable");
  if (mode === "no-verify") set("sslmode", "require");
  if (roots === "system") {
    set("sslmode", "verify-full");
    const file = [process.env.SSL_CERT_FILE ?? "", ...SYSTEM_ROOTS].find((path) => path && existsSync(path));
    if (file) set("sslrootcert", file);
    // Node has authorities of its own.
    else url.searchParams.delete("sslrootcert");
  }
  return url.href;
}

function tlsOf(connectionString: string): { mode: string | null; roots: string | null } {
  if (!URL.canParse(connectionString)) return { mode: null, roots: null };
  const { searchParams } = new URL(connectionString);
  return { mode: searchParams.get("sslmode"), roots: searchParams.get("sslrootcert") };
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

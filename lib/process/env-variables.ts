import { z } from "zod";
import { PlainError } from "@/lib/failures";
import { tlsProblem } from "./database-tls";

export type RedisSettings =
  | { kind: "none" }
  | { kind: "tcp"; url: string }
  | { kind: "rest"; url: string; token: string };

const DEFAULT_PORT = 3000;

const wholeNumber = (name: string, fallback: number, min: number, max: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: (issue) => `${name} must be a whole number from ${min} to ${max}, not "${issue.input}".`,
    })
    .transform(Number);

const url = (name: string, protocols: readonly string[], example: string) =>
  z
    .string()
    // The value is not repeated: it may hold a password.
    .refine((text) => protocols.includes(parseUrl(text)?.protocol ?? ""), `${name} must look like ${example}.`)
    .optional();

/** What `DATABASE_URL` says instead of a URL, to mean the embedded database. */
const EMBEDDED = "embedded";
/** The part of a URL that names the user and the host. */
const AUTHORITY = /^postgres(?:ql)?:\/\/([^/?#]*)/;

const isDatabaseUrl = (text: string) => ["postgresql:", "postgres:"].includes(parseUrl(text)?.protocol ?? "");
const namesSeveralHosts = (text: string) => {
  const [, authority = ""] = AUTHORITY.exec(text) ?? [];
  const host = parseUrl(text)?.searchParams.get("host") ?? authority.slice(authority.lastIndexOf("@") + 1);
  return host.includes(",");
};

/** The URL of one PostgreSQL server. The value is not repeated in what is said of it: it may hold a password. */
const databaseUrl = (name: string) =>
  z
    .string()
    .refine(
      (text) => !namesSeveralHosts(text),
      `${name} names several hosts, and the console connects to one. Put HAProxy in front of them, which finds the one that takes writes (docs/operations.md), and name HAProxy.`,
    )
    .refine(
      (text) => namesSeveralHosts(text) || isDatabaseUrl(text),
      `${name} must look like postgresql://user:password@host:5432/database.`,
    )
    .superRefine((text, context) => {
      const problem = tlsProblem(text);
      if (problem !== null) context.addIssue(`${name}: ${problem}`);
    });

/** Why a text is not the origin of a console, for `BASE_URL`; null: it is. No part of it is repeated: it may hold a password. */
function originProblem(text: string): string | null {
  if (/[\s,;]/.test(text))
    return "BASE_URL names several origins, and a console has one, such as https://console.example.com.";
  const found = parseUrl(text);
  if (!["https:", "http:"].includes(found?.protocol ?? "")) {
    const why = /^https?:/i.test(text) ? "It cannot be read as a URL." : "It does not begin with https:// or http://.";
    return `BASE_URL must look like https://console.example.com. ${why}`;
  }
  const { username, password, pathname, search, hash, hostname } = found as URL;
  if (hostname.includes("*")) return "BASE_URL must be the origin of one host: a * stands for many.";
  const more = [
    (username || password) && "an account",
    pathname !== "/" && "a path",
    search && "a query",
    hash && "a fragment",
  ].filter(Boolean);
  if (more.length === 0) return null;
  return `BASE_URL must be an origin alone, such as "https://console.example.com", and it has ${more.join(" and ")}.`;
}

/** 32 bytes in base64. */
const NOTICE_KEY_SHAPE = /^[A-Za-z0-9+/]{43}=$/;
/** An address and nothing that a mail server could take for something else. */
const EMAIL = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}$/i;
/** The longest address that SMTP carries (RFC 5321). */
const MAX_EMAIL_LENGTH = 254;

const variables = z.object({
  DATABASE_URL: z.union([z.literal(EMBEDDED), databaseUrl("DATABASE_URL")]).optional(),
  DATABASE_POOL_SIZE: wholeNumber("DATABASE_POOL_SIZE", 10, 1, 1000),
  KEEP_TELEMETRY_DAYS: wholeNumber("KEEP_TELEMETRY_DAYS", 31, 2, 3650),
  DATA_DIR: z.string().default(".data"),
  HOST: z.string().default("127.0.0.1"),
  PORT: wholeNumber("PORT", DEFAULT_PORT, 0, 65_535),
  BASE_URL: z
    .string()
    .superRefine((text, context) => {
      const problem = originProblem(text);
      if (problem !== null) context.addIssue(problem);
    })
    // As a browser writes it: lower case, without the port that its scheme has anyway.
    .transform((text) => parseUrl(text)?.origin)
    .optional(),
  CONTACT_URL: url(
    "CONTACT_URL",
    ["https:", "http:", "mailto:"],
    "https://example.com/support or mailto:support@example.com",
  ),
  TRUSTED_PROXIES: wholeNumber("TRUSTED_PROXIES", 0, 0, 10),
  OPS_PORT: wholeNumber("OPS_PORT", 0, 0, 65_535),
  OPS_HOST: z.string().default("127.0.0.1"),
  DRAIN_DELAY: wholeNumber("DRAIN_DELAY", 5, 0, 300),
  PRIVATE_ORIGINS: z.enum(["refuse", "allow"], 'PRIVATE_ORIGINS must be "refuse" or "allow".').default("refuse"),
  PRIVATE_WEBHOOKS: z.enum(["refuse", "allow"], 'PRIVATE_WEBHOOKS must be "refuse" or "allow".').default("refuse"),
  NOTICE_KEY: z
    .string()
    // The value is not repeated: it is a secret.
    .refine(
      (text) => text.split(",").every((key) => NOTICE_KEY_SHAPE.test(key.trim())),
      "NOTICE_KEY must be 32 random bytes in base64, as `openssl rand -base64 32` prints them; while it is replaced, the new one, a comma and the old one.",
    )
    .optional(),
  SMTP_URL: url("SMTP_URL", ["smtp:", "smtps:"], "smtps://user:password@mail.example.com"),
  MAIL_FROM: z
    .string()
    .refine(
      (text) => EMAIL.test(text) && text.length <= MAX_EMAIL_LENGTH,
      "MAIL_FROM must be one address alone, such as notices@example.com.",
    )
    .optional(),
  EDGE_LINE_GBIT: wholeNumber("EDGE_LINE_GBIT", 100, 1, 10_000),
  REDIS_URL: url("REDIS_URL", ["redis:", "rediss:"], "redis://host:6379"),
  UPSTASH_REDIS_REST_URL: url("UPSTASH_REDIS_REST_URL", ["https:", "http:"], "https://name.upstash.io"),
  UPSTASH_REDIS_REST_TOKEN: z.string().optional(),
});

/** Every variable there is. */
export const VARIABLE_NAMES: readonly string[] = Object.keys(variables.shape);

export type Env = ReturnType<typeof parseEnv>;

/**
 * Reads the settings from variables; an empty one counts as unset.
 * @throws PlainError naming each wrong variable and why.
 */
export function parseEnv(source: Record<string, string | undefined>) {
  const values = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, source[name]?.trim() || undefined]));
  const parsed = variables.safeParse(values);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => issue.message);
  if (Boolean(values.UPSTASH_REDIS_REST_URL) !== Boolean(values.UPSTASH_REDIS_REST_TOKEN)) {
    const [present, missing] = values.UPSTASH_REDIS_REST_URL ? ["URL", "TOKEN"] : ["TOKEN", "URL"];
    problems.push(
      `UPSTASH_REDIS_REST_${present} is set but UPSTASH_REDIS_REST_${missing} is not; Upstash needs both, or neither.`,
    );
  }
  if (Boolean(values.SMTP_URL) !== Boolean(values.MAIL_FROM)) {
    const [present, missing] = values.SMTP_URL ? ["SMTP_URL", "MAIL_FROM"] : ["MAIL_FROM", "SMTP_URL"];
    problems.push(`${present} is set but ${missing} is not; mail needs both, or neither.`);
  }
  if (values.SMTP_URL && !values.NOTICE_KEY) {
    problems.push("SMTP_URL is set but NOTICE_KEY is not; mail needs it for the links with which people unsubscribe.");
  }
  if (values.UPSTASH_REDIS_REST_URL && values.REDIS_URL) {
    problems.push("REDIS_URL and UPSTASH_REDIS_REST_URL are both set; the rate limit can live in only one of them.");
  }
  if (problems.length > 0 || !parsed.success) throw new PlainError(problems.join("\n"));

  const { data } = parsed;
  return {
    /** PostgreSQL. Undefined: the embedded database, which `scripts/` starts and then names here for the app. */
    databaseUrl: data.DATABASE_URL === EMBEDDED ? undefined : data.DATABASE_URL,
    /** Whether the embedded database was asked for by name. */
    isEmbeddedNamed: data.DATABASE_URL === EMBEDDED,
    /** Connections to PostgreSQL per process. */
    databasePoolSize: data.DATABASE_POOL_SIZE,
    /** Days of samples of servers; the hourly sweep deletes the rest. Their sums stay longer. */
    telemetryDays: data.KEEP_TELEMETRY_DAYS,
    /** Where the embedded database keeps its files. */
    dataDir: data.DATA_DIR,
    host: data.HOST,
    /** 0 lets the system choose. */
    port: data.PORT,
    /** The origin under which people open the console; undefined: the Host header of each request. */
    baseUrl: data.BASE_URL,
    /** Where people report a fault, a weakness included: a page or `mailto:`. */
    contactUrl: data.CONTACT_URL,
    /** How many proxies stand in front of this process, each appending to X-Forwarded-For. */
    trustedProxies: data.TRUSTED_PROXIES,
    /** How long the server goes on answering after SIGTERM, in seconds (`server/drain.mjs`). */
    drainDelaySeconds: data.DRAIN_DELAY,
    /** Whether the origin of a game service may be in a private, loopback or link-local network. */
    allowPrivateOrigins: data.PRIVATE_ORIGINS === "allow",
    /** Whether messages may be sent to webhooks in such a network. */
    allowPrivateWebhooks: data.PRIVATE_WEBHOOKS === "allow",
    /** 32 bytes each: the first encrypts what channels of notices keep secret, all decrypt. None: notices are off. */
    noticeKeys: (data.NOTICE_KEY ?? "").split(",").flatMap((key) => (key ? [Buffer.from(key.trim(), "base64")] : [])),
    /** Where mail is handed over, and from whom it comes. Null: none is sent. */
    mail: data.SMTP_URL && data.MAIL_FROM ? { url: data.SMTP_URL, from: data.MAIL_FROM } : null,
    /** What the line of an edge node carries, in Gbit/s each way. A report of more is refused. */
    edgeLineGbit: data.EDGE_LINE_GBIT,
    redis: redisSettings(data),
  };
}

function redisSettings(data: z.infer<typeof variables>): RedisSettings {
  const { REDIS_URL, UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN } = data;
  if (REDIS_URL) return { kind: "tcp", url: REDIS_URL };
  if (UPSTASH_REDIS_REST_URL && UPSTASH_REDIS_REST_TOKEN) {
    return { kind: "rest", url: UPSTASH_REDIS_REST_URL, token: UPSTASH_REDIS_REST_TOKEN };
  }
  return { kind: "none" };
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

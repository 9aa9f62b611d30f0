import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseEnv, VARIABLE_NAMES } from "./env-variables";

const NOTICE_KEY = Buffer.alloc(32, 1).toString("base64");

test("nothing set is a laptop: embedded database, loopback, port 3000, limit in this process", () => {
  expect(parseEnv({})).toEqual({
    databaseUrl: undefined,
    isEmbeddedNamed: false,
    databasePoolSize: 10,
    telemetryDays: 31,
    dataDir: ".data",
    host: "127.0.0.1",
    port: 3000,
    baseUrl: undefined,
    contactUrl: undefined,
    trustedProxies: 0,
    drainDelaySeconds: 5,
    allowPrivateOrigins: false,
    allowPrivateWebhooks: false,
    noticeKeys: [],
    mail: null,
    edgeLineGbit: 100,
    redis: { kind: "none" },
  });
});

test("an empty or blank variable counts as unset", () => {
  expect(parseEnv({ PORT: "", HOST: " ", DATABASE_URL: "", REDIS_URL: "" })).toEqual(parseEnv({}));
});

test("everything set is read as what it is", () => {
  expect(
    parseEnv({
      DATABASE_URL: "postgres://u:p@db:5432/console",
      DATABASE_POOL_SIZE: "25",
      KEEP_TELEMETRY_DAYS: "62",
      DATA_DIR: "/var/lib/console",
      HOST: "0.0.0.0",
      PORT: "0",
      BASE_URL: "https://console.example.com/",
      CONTACT_URL: "mailto:support@example.com",
      TRUSTED_PROXIES: "2",
      DRAIN_DELAY: "0",
      PRIVATE_ORIGINS: "allow",
      PRIVATE_WEBHOOKS: "allow",
      NOTICE_KEY: `${NOTICE_KEY}, ${Buffer.alloc(32, 2).toString("base64")}`,
      SMTP_URL: "smtps://u:p@mail.example.com",
      MAIL_FROM: "notices@example.com",
      EDGE_LINE_GBIT: "10",
      REDIS_URL: "rediss://redis:6380",
    }),
  ).toEqual({
    databaseUrl: "postgres://u:p@db:5432/console",
    isEmbeddedNamed: false,
    databasePoolSize: 25,
    telemetryDays: 62,
    dataDir: "/var/lib/console",
    host: "0.0.0.0",
    port: 0,
    baseUrl: "https://console.example.com",
    contactUrl: "mailto:support@example.com",
    trustedProxies: 2,
    drainDelaySeconds: 0,
    allowPrivateOrigins: true,
    allowPrivateWebhooks: true,
    noticeKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
    mail: { url: "smtps://u:p@mail.example.com", from: "notices@example.com" },
    edgeLineGbit: 10,
    redis: { kind: "tcp", url: "rediss://redis:6380" },
  });
  expect(parseEnv({ UPSTASH_REDIS_REST_URL: "https://x.upstash.io", UPSTASH_REDIS_REST_TOKEN: "t" }).redis).toEqual({
    kind: "rest",
    url: "https://x.upstash.io",
    token: "t",
  });
});

const NO_DATABASE = "DATABASE_URL must look like postgresql://user:password@host:5432/database.";
const WRONG: [Record<string, string>, string][] = [
  [{ DATABASE_URL: "nonsense" }, NO_DATABASE],
  [{ DATABASE_URL: "mysql://u:hunter2@h/d" }, NO_DATABASE],
  ...[
    "postgresql://u:p@db-1:5432,db-2:5432/console?target_session_attrs=read-write",
    "postgres://db-1,db-2/console",
    "postgresql:///console?host=db-1,db-2",
  ].map((text): [Record<string, string>, string] => [
    { DATABASE_URL: text },
    "DATABASE_URL names several hosts, and the console connects to one. Put HAProxy in front of them",
  ]),
  [{ PORT: "65536" }, 'PORT must be a whole number from 0 to 65535, not "65536".'],
  [{ PORT: "-1" }, 'PORT must be a whole number from 0 to 65535, not "-1".'],
  [{ PORT: "3000.5" }, 'PORT must be a whole number from 0 to 65535, not "3000.5".'],
  [{ PORT: "http" }, 'PORT must be a whole number from 0 to 65535, not "http".'],
  [{ DATABASE_POOL_SIZE: "0" }, 'DATABASE_POOL_SIZE must be a whole number from 1 to 1000, not "0".'],
  [{ TRUSTED_PROXIES: "true" }, 'TRUSTED_PROXIES must be a whole number from 0 to 10, not "true".'],
  [{ PRIVATE_ORIGINS: "yes" }, 'PRIVATE_ORIGINS must be "refuse" or "allow".'],
  [{ PRIVATE_WEBHOOKS: "1" }, 'PRIVATE_WEBHOOKS must be "refuse" or "allow".'],
  ...["hunter2", Buffer.alloc(31, 1).toString("base64"), `${NOTICE_KEY},`, `${NOTICE_KEY} ${NOTICE_KEY}`].map(
    (text): [Record<string, string>, string] => [{ NOTICE_KEY: text }, "NOTICE_KEY must be 32 random bytes in base64"],
  ),
  [
    { SMTP_URL: "mail.example.com", MAIL_FROM: "notices@example.com", NOTICE_KEY },
    "SMTP_URL must look like smtps://user:password@mail.example.com.",
  ],
  ...["Console <notices@example.com>", "notices", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example"].map(
    (text): [Record<string, string>, string] => [
      { SMTP_URL: "smtp://mail", MAIL_FROM: text, NOTICE_KEY },
      "MAIL_FROM must be one address alone, such as notices@example.com.",
    ],
  ),
  [{ SMTP_URL: "smtp://mail", NOTICE_KEY }, "SMTP_URL is set but MAIL_FROM is not; mail needs both, or neither."],
  [{ MAIL_FROM: "a@b.example" }, "MAIL_FROM is set but SMTP_URL is not; mail needs both, or neither."],
  [
    { SMTP_URL: "smtp://mail", MAIL_FROM: "a@b.example" },
    "SMTP_URL is set but NOTICE_KEY is not; mail needs it for the links with which people unsubscribe.",
  ],
  [{ OPS_PORT: "x" }, 'OPS_PORT must be a whole number from 0 to 65535, not "x".'],
  [{ DRAIN_DELAY: "5s" }, 'DRAIN_DELAY must be a whole number from 0 to 300, not "5s".'],
  [{ KEEP_TELEMETRY_DAYS: "1" }, 'KEEP_TELEMETRY_DAYS must be a whole number from 2 to 3650, not "1".'],
  [{ BASE_URL: "console.example.com" }, "BASE_URL must look like https://console.example.com."],
  [{ REDIS_URL: "https://redis" }, "REDIS_URL must look like redis://host:6379."],
  [
    { UPSTASH_REDIS_REST_URL: "https://x.upstash.io" },
    "UPSTASH_REDIS_REST_URL is set but UPSTASH_REDIS_REST_TOKEN is not; Upstash needs both, or neither.",
  ],
  [
    { UPSTASH_REDIS_REST_TOKEN: "t" },
    "UPSTASH_REDIS_REST_TOKEN is set but UPSTASH_REDIS_REST_URL is not; Upstash needs both, or neither.",
  ],
  [
    { UPSTASH_REDIS_REST_URL: "https://x.upstash.io", UPSTASH_REDIS_REST_TOKEN: "t", REDIS_URL: "redis://h" },
    "REDIS_URL and UPSTASH_REDIS_REST_URL are both set; the rate limit can live in only one of them.",
  ],
];

test("a comma in a password is no second host, and DATABASE_URL accepts embedded", () => {
  const url = "postgresql://u:a,b@db/console";
  expect(parseEnv({ DATABASE_URL: url }).databaseUrl).toBe(url);
  expect(parseEnv({ DATABASE_URL: "embedded" })).toEqual({ ...parseEnv({}), isEmbeddedNamed: true });
});

test.each(WRONG)("%j stops the start with a sentence that says which and why", (variables, message) => {
  expect(() => parseEnv(variables)).toThrow(message);
});

test("an origin with a path, a query or an account is no BASE_URL", () => {
  for (const [url, what] of [
    ["https://h/console", "it has a path."],
    ["https://h/?a", "it has a query."],
    ["https://u:hunter2@h", "it has an account."],
    ["https://h/x#y", "it has a path and a fragment."],
  ] as const) {
    expect(() => parseEnv({ BASE_URL: url })).toThrow(/^BASE_URL must be an origin alone/);
    expect(() => parseEnv({ BASE_URL: url })).toThrow(what);
    expect(() => parseEnv({ BASE_URL: url })).not.toThrow(/hunter2/);
  }
});

test("BASE_URL becomes its browser origin, and anything else is refused with the reason", () => {
  for (const [text, origin] of [
    ["HTTPS://Console.Example.com:443/", "https://console.example.com"],
    ["http://console.example.com:80", "http://console.example.com"],
    ["https://console.example.com:8443/?", "https://console.example.com:8443"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["http://[::FFFF]:3000", "http://[::ffff]:3000"],
  ]) {
    expect(parseEnv({ BASE_URL: text }).baseUrl, text).toBe(origin);
  }
  for (const [text, reason] of [
    ["https://a.example,https://b.example", "BASE_URL names several origins"],
    ["https://a.example https://b.example", "BASE_URL names several origins"],
    ["https://a.example,b.example", "BASE_URL names several origins"],
    ["https://*.example.com", "a * stands for many"],
    ["localhost:3000", "It does not begin with https:// or http://."],
    ["ftp://console.example.com", "It does not begin with https:// or http://."],
    ["https://console.example.com:99999", "It cannot be read as a URL."],
    ["https://", "It cannot be read as a URL."],
  ]) {
    expect(() => parseEnv({ BASE_URL: text }), text).toThrow(reason);
  }
});

test("every wrong variable is named at once, without repeating possible passwords", () => {
  const variables = {
    PORT: "x",
    DATABASE_URL: "mysql://u:hunter2@h/d",
    REDIS_URL: "http://:hunter2@h",
    NOTICE_KEY: "hunter2",
    SMTP_URL: "http://:hunter2@h",
  };
  expect(() => parseEnv(variables)).toThrow(/DATABASE_URL.*PORT.*NOTICE_KEY.*SMTP_URL.*REDIS_URL/s);
  expect(() => parseEnv(variables)).not.toThrow(/hunter2/);
});

test(".env.example lists every variable, and the README explains each", () => {
  const listed = readFileSync(".env.example", "utf8").match(/^[A-Z_]+(?==)/gm);
  expect(listed?.toSorted()).toEqual(VARIABLE_NAMES.toSorted());
  const readme = readFileSync("README.md", "utf8");
  for (const name of VARIABLE_NAMES) expect(readme).toContain(`\`${name}\``);
});

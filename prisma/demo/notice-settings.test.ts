import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";
import { parseEnv } from "@/lib/process/env-variables";
import { noticeVariables } from "./notice-settings";

test("the demo keeps one private key and sends all mail to its catcher", () => {
  const dataDir = join(tempFolder(), "data");
  const catcher = { smtpUrl: "smtp://127.0.0.1:2525" };
  const variables = (settings: Record<string, string> = {}) =>
    noticeVariables(parseEnv({ DATA_DIR: dataDir, ...settings }), catcher);
  const first = variables();
  expect(parseEnv(first)).toMatchObject({
    noticeKeys: [expect.any(Buffer)],
    mail: { url: catcher.smtpUrl, from: "console@demo.example" },
    allowPrivateWebhooks: true,
  });
  expect(variables()).toEqual(first);
  const [file = ""] = readdirSync(dataDir);
  expect(readdirSync(dataDir)).toHaveLength(1);
  expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  writeFileSync(join(dataDir, file), "half");
  expect(parseEnv(variables()).noticeKeys).toHaveLength(1);

  const own = {
    NOTICE_KEY: first.NOTICE_KEY ?? "",
    SMTP_URL: "smtps://mail.example.com",
    MAIL_FROM: "a@example.com",
  };
  expect(variables({ ...own, HOST: "0.0.0.0" })).toEqual({
    SMTP_URL: catcher.smtpUrl,
    MAIL_FROM: "console@demo.example",
  });
  for (const HOST of ["::", "192.0.2.1"]) expect(variables({ HOST })).not.toHaveProperty("PRIVATE_WEBHOOKS");
});

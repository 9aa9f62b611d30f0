import { startAdminer } from "@/e2e/support/adminer";
import { newAccount, newServer } from "@/e2e/support/factories";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";

test("a GUI client lists the tables of a running console's embedded database, shows rows, edits one and errs, and the API answers all the while", async () => {
  needs("adminer", "php");
  const { hostname, port } = new URL(String(process.env.DATABASE_URL));
  const { id: accountId, email, token } = await newAccount();
  const { id } = await newServer(accountId, { label: "Before" });
  const adminer = await startAdminer(hostname, Number(port));
  try {
    expect(await adminer.open({})).toContain("access_tokens");
    expect(await adminer.open({ table: "servers" })).toContain("hostname");
    const rows = { select: "accounts", "where[0][col]": "id", "where[0][op]": "=", "where[0][val]": String(accountId) };
    expect(await adminer.open(rows)).toContain(email.split("@")[0]);
    const edited = { [`val[&where%5Bid%5D=${id}][label]`]: "After" };
    expect(await adminer.open({ select: "servers", modify: "1" }, edited)).toContain("1 item has been affected.");
    const query = "select label || '!' from servers; select 1/0";
    expect(await adminer.open({ sql: "" }, { query, limit: "50" })).toContain("division by zero");
    expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ label: "After" });
  } finally {
    await adminer.stop();
  }
});

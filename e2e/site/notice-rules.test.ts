import { expect, test } from "vitest";
import { newAccount, newServer } from "@/e2e/support/factories";
import { newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { NOTICE_PAGE, serverPath } from "@/lib/page-paths";

// What an account is told, and when it is not.

const FORM = "What you are told";

test("rules, delays and quiet hours are saved; senseless input is refused in its field", async () => {
  const { account, page } = await newVisitor();
  await page.goto(NOTICE_PAGE);
  const isChecked = (sentence: string) => page.field(sentence, page.part(FORM)).attr("checked") !== undefined;
  const delay = () => page.part(FORM).find("[name=minutes-offline]");
  const save = (choices = {}, minutes?: string) => {
    if (minutes !== undefined) delay().attr("value", minutes);
    return page.press("Save the rules", choices, { within: page.part(FORM) });
  };
  expect(isChecked("A server is offline")).toBe(true);
  expect(delay().val()).toBe("5");
  for (const wrong of ["", "-1", "1.5", "1441", "soon"]) {
    await save({}, wrong);
    expect(page.textOf(page.part(FORM))).toContain("Type whole minutes, from 0 to 1440.");
    expect(delay().val() ?? "").toBe(wrong);
  }
  await save({ "Quiet from": "22:00" }, "15");
  expect(page.textOf(page.part(FORM))).toContain("Quiet hours need both times");
  expect(await db.noticeSettings.count({ where: { accountId: account.id } })).toBe(0);
  await save({ "Quiet until": "07:30", "A server has a full disk": false });
  expect(page.textOf(page.part(FORM))).toContain("The rules are saved.");
  expect(await db.noticeSettings.findFirst({ where: { accountId: account.id } })).toMatchObject({
    rules: { offline: { on: true, minutes: 15 }, disk_full: { on: false }, recovered: { on: true } },
    quietFrom: 22 * 60,
    quietTo: 7 * 60 + 30,
    quietZone: "UTC",
  });
  await page.goto(NOTICE_PAGE);
  expect(delay().val()).toBe("15");
  expect(isChecked("A server has a full disk")).toBe(false);
  expect(page.value("Quiet until")).toBe("07:30");
});

test("an account is told of game services shared with it only by choice", async () => {
  const { account, page } = await newVisitor();
  const BOX = "Also tell me about game services that others share with me";
  for (const isOn of [true, false, true]) {
    await page.goto(NOTICE_PAGE);
    expect(page.field(BOX).attr("checked") !== undefined).toBe(!isOn);
    await page.press("Save the rules", { [BOX]: isOn });
    expect(page.text).toContain("The rules are saved.");
    const { rules } = await db.noticeSettings.findFirstOrThrow({ where: { accountId: account.id } });
    expect(rules).toMatchObject({ failed: { on: true }, shared: { on: isOn } });
  }
});

test("a server's page shows its notices and snoozes them for one or eight hours", async () => {
  const { account, page } = await newVisitor();
  const accountId = account.id;
  const { id } = await newServer(accountId);
  const at = new Date("2026-11-23T07:28:10Z");
  for (const kind of ["mail", "discord"]) {
    const channel = await db.noticeChannel.create({ data: { accountId, kind, name: kind, confirmedAt: at } });
    await db.notice.create({
      data: {
        ...{ channelId: channel.id, accountId, subject: "server", subjectId: id, eventId: 1, tells: "begin" },
        ...{ kind: "critical", name: "web-1", state: "told", startedAt: at, dueAt: at, nextAt: at, settledAt: at },
      },
    });
  }
  await page.goto(serverPath(id));
  const form = () => page.part("Notices of this server");
  expect(page.textOf(form())).toContain("Told by mail and Discord on 23 Nov, 07:28 UTC.");
  const snooze = () => db.serverSnooze.findFirst({ where: { serverId: id } });
  for (const [button, hours] of [
    ["For 1 hour", 1],
    ["For 8 hours", 8],
  ] as const) {
    expect(page.textsOf(form().find("summary"))).toEqual(["Snooze notices"]);
    expect(page.textsOf(form().find("button"))).toEqual(["For 1 hour", "For 8 hours"]);
    await page.press(button, {}, { within: form() });
    expect(page.textOf(form())).toContain("Snoozed until ");
    const { until, createdAt } = (await snooze()) ?? { until: at, createdAt: at };
    expect(until.getTime() - createdAt.getTime()).toBe(hours * HOUR);
    await page.press("Tell me again", {}, { within: form() });
    expect(await snooze()).toBeNull();
  }
  const others = await newServer((await newAccount()).id);
  await page.press("For 1 hour", {}, { within: form(), forged: { id: String(others.id) } });
  expect(await db.serverSnooze.count({ where: { serverId: others.id } })).toBe(0);
});

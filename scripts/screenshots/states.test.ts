import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listStates } from "./states";

const services = { active: 2, pending_config: 3, configuring: 4, failed: 5, disabled: 6, deleting: 7 };
const states = listStates({ server: 1, token: 8, services, edgeNode: 12, long: { server: 9, service: 10, token: 11 } });

/** The paths of the pages of app/, with a pattern in the place of an id. A page that only leads elsewhere says `never`. */
const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => /(^|\/)page\.tsx$/.test(file))
  .filter((file) => !readFileSync(join("app", file), "utf8").includes("Page(): never"))
  .map((file) => `/${dirname(file)}`.replace(/^\/\.$/, "/"));

test.each(pages)("the page %s has a picture", (page) => {
  const pattern = new RegExp(`^${page.replaceAll("[id]", "\\d+")}$`);
  expect(states.filter(({ path }) => pattern.test(path.split("?")[0] ?? ""))).not.toEqual([]);
});

test("no two pictures have the same name", () => {
  const names = states.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

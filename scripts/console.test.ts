import { expect, test, vi } from "vitest";
import { callMain } from "./called-as";
import { main } from "./console";

test("npm run console lists its commands, runs the named one and refuses others", async () => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  await main([]);
  for (const name of ["account", "server", "edge", "notices", "sweep"]) {
    expect(printed.mock.lastCall?.[0]).toContain(`\n  npm run console -- ${name}`);
  }
  await main(["account", "help"]);
  expect(printed.mock.lastCall?.[0]).toContain("  npm run console -- account create EMAIL --name NAME");
  await expect(main(["toString"])).rejects.toThrow(/^There is no command "toString"\.\n\nRuns a command of operators/);
  const settings = "Its settings are variables of the environment.";
  await expect(main(["sweep", "--help", "8080"])).rejects.toThrow(
    `"npm run console -- sweep" takes no arguments, so not "--help". ${settings}`,
  );
  const build = vi.fn();
  expect(() => callMain(["build"], () => build(), ["now"])).toThrow(
    `"npm run build" takes no arguments, so not "now". ${settings}`,
  );
  expect(build).not.toHaveBeenCalled();
  printed.mockRestore();
});

import { expect, test, vi } from "vitest";
import { PlainError } from "@/lib/failures";
import { main } from "./account";

// What needs no database; the rest is in e2e/api/commands.test.ts.

test.each([[[]], [["help"]], [["--help"]]])(
  "%j prints help, which says that passwords are never arguments",
  async (args: string[]) => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    await main(args);
    expect(print).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("Passwords are never arguments."));
    print.mockRestore();
  },
);

test.each([
  [["create", "bob@example.com", "--name", "B", "--password", "x"], "Unknown option '--password'"],
  [["create"], "Wrong number of arguments."],
  [["set-role", "ann@example.com"], "Wrong number of arguments."],
  [["constructor"], 'There is no command "constructor".'],
])("%j is refused with the right usage before any database is asked", async (args, message) => {
  const failure = await main(args).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PlainError);
  expect((failure as PlainError).message).toContain(message);
  expect((failure as PlainError).message).toContain("npm run console -- account set-role EMAIL customer|support|admin");
});

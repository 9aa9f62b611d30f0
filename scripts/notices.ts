import { PlainError } from "@/lib/failures";
import { calledAs } from "./called-as";
import { formatTable } from "./table";
import { withDatabase } from "./with-database";

const NOTICES = calledAs("console", "notices");

const HELP = `Shows whether notices reach an account.

  ${NOTICES} test EMAIL      sends a test by each channel of the account that is on, and says what became of it

It fails if one of them fails.`;

/** `npm run console -- notices`: sends tests from the command line. For operators. */
export async function main(args: string[]): Promise<void> {
  const [name = "help", email, ...others] = args;
  if (["help", "--help", "-h"].includes(name)) return console.log(HELP);
  if (name !== "test" || !email || others.length > 0) throw new PlainError(`Usage: ${NOTICES} test EMAIL\n\n${HELP}`);
  await withDatabase(() => test(email));
}

async function test(email: string): Promise<void> {
  const { getAccountByEmail } = await import("@/lib/accounts/accounts");
  const { testChannels } = await import("@/lib/notices/testing");
  const tested = await testChannels((await getAccountByEmail(email)).id);
  if (tested.length === 0) throw new PlainError("This account has no channel that is on, so it is told nothing.");
  const said = tested.map(({ channel, shown, outcome }) => [
    channel,
    shown,
    outcome.kind === "delivered" ? `delivered${outcome.note ? `: ${outcome.note}` : ""}` : `failed: ${outcome.reason}`,
  ]);
  console.log(formatTable([["channel", "address", "test"], ...said]));
  const failed = tested.filter(({ outcome }) => outcome.kind !== "delivered").length;
  if (failed > 0) throw new PlainError(`${failed} of ${tested.length} failed.`);
}

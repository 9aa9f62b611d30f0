import { hashPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@/lib/accounts/passwords";
import { db, Prisma } from "@/lib/database/client";
import { InvalidInputError } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import type { AccountRole } from "@/lib/generated/prisma/enums";

export type { AccountRole };

/** The account that a token or a session acts as. */
export type Account = { id: number; name: string; email: string; role: AccountRole };

/** Every role, the least powerful first. */
const ROLES: readonly AccountRole[] = ["customer", "support", "admin"];

/** The longest address that SMTP carries (RFC 5321). */
const MAX_EMAIL_LENGTH = 254;
/** In characters as people count them (code points). */
const MAX_NAME_LENGTH = 100;

const select = { id: true, name: true, email: true, role: true } satisfies Prisma.AccountSelect;

/** Staff see the game services of others under the conditions of contract 2.5. */
export function isStaff(account: Account): boolean {
  return account.role !== "customer";
}

/** The account object of contract 2.1. */
export function serializeAccount({ id, name, email, role }: Account): Account {
  return { id, name, email, role };
}

/**
 * Creates an account that can sign in with the password.
 * @throws InvalidInputError for an unusable name, e-mail or password, or an e-mail that is taken.
 */
export async function createAccount(input: {
  name: string;
  email: string;
  role: AccountRole;
  password: string;
}): Promise<Account> {
  const data = {
    name: parseAccountName(input.name),
    email: parseEmail(input.email),
    role: input.role,
    passwordHash: await hashPassword(parsePassword(input.password)),
  };
  try {
    return await db.account.create({ data, select });
  } catch (error) {
    if (isPrismaError(error, "P2002"))
      throw new InvalidInputError(`There is already an account with the e-mail ${data.email}.`);
    throw error;
  }
}

/** Every account, by id. */
export async function listAccounts() {
  return db.account.findMany({ select: { ...select, disabledAt: true, createdAt: true }, orderBy: { id: "asc" } });
}

/** @throws InvalidInputError when the text is not an e-mail, or no account has it. */
export async function getAccountByEmail(email: string): Promise<Account> {
  const account = await db.account.findUnique({ where: { email: parseEmail(email) }, select });
  if (!account) throw new InvalidInputError(`There is no account with the e-mail ${email}.`);
  return account;
}

/** Disables or enables an account. Disabling ends its sessions and refuses its tokens from the next request on. */
export async function setAccountDisabled(email: string, disabled: boolean): Promise<Account> {
  return updateAccount(email, {
    disabledAt: disabled ? new Date() : null,
    ...(disabled && { sessions: { deleteMany: {} } }),
  });
}

/** Changes what the account may see, from its next request on. */
export async function setAccountRole(email: string, role: AccountRole): Promise<Account> {
  return updateAccount(email, { role });
}

/** Sets the password and ends every session of the account. */
export async function setAccountPassword(email: string, password: string): Promise<Account> {
  const passwordHash = await hashPassword(parsePassword(password));
  return updateAccount(email, { passwordHash, sessions: { deleteMany: {} } });
}

/** @throws InvalidInputError for anything but one of the three roles. */
export function parseRole(text: string): AccountRole {
  const role = ROLES.find((known) => known === text);
  if (!role) throw new InvalidInputError(`"${text}" is no role. Roles: ${ROLES.join(", ")}.`);
  return role;
}

/** Returns the e-mail in lower case and trimmed. Null means that the text is not an e-mail. */
export function findEmail(text: string): string | null {
  if (text.length > MAX_EMAIL_LENGTH) return null;
  const email = text.trim().toLowerCase();
  // Lower case can be longer: one letter may become two.
  return email.length <= MAX_EMAIL_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? email : null;
}

/** As `findEmail`. @throws InvalidInputError when the text is not an e-mail. */
function parseEmail(text: string): string {
  const email = findEmail(text);
  if (email === null) throw new InvalidInputError(`"${text}" is not a valid e-mail.`);
  return email;
}

/** Returns what is wrong with a new password. Null means that it can be used. */
export function passwordProblem(password: string): string | null {
  if (password.length > MAX_PASSWORD_LENGTH) return `A password has at most ${MAX_PASSWORD_LENGTH} characters.`;
  const isShort = [...password].length < MIN_PASSWORD_LENGTH;
  return isShort ? `A password needs at least ${MIN_PASSWORD_LENGTH} characters.` : null;
}

function parseAccountName(text: string): string {
  const name = normalName(text);
  const problem = name === "" ? "An account needs a name." : nameProblem("name", name, MAX_NAME_LENGTH);
  if (problem !== null) throw new InvalidInputError(problem);
  return name;
}

function parsePassword(text: string): string {
  const problem = passwordProblem(text);
  if (problem) throw new InvalidInputError(problem);
  return text;
}

async function updateAccount(email: string, data: Prisma.AccountUpdateInput): Promise<Account> {
  try {
    return await db.account.update({ where: { email: parseEmail(email) }, data, select });
  } catch (error) {
    if (isPrismaError(error, "P2025")) throw new InvalidInputError(`There is no account with the e-mail ${email}.`);
    throw error;
  }
}

function isPrismaError(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}

import type { TokenRecord } from "@/lib/tokens/management";
import { programName } from "../list/program-name";
import type { QuestionedToken } from "./revocation";

/** What the question before revoking says about a token. */
export function describeToken({ id, name, hint, lastUsedAt, lastUsedIp, lastUsedAgent }: TokenRecord): QuestionedToken {
  return { id, name, hint, lastUsedAt, lastUsedIp, program: programName(lastUsedAgent) };
}

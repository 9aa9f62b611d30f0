/** Who sent a request, for the owner's eyes on the token page. */
export type Sender = { ip: string | null; agent: string | null };

const MAX_AGENT_LENGTH = 200;
/** How many characters of a header are read. */
const MAX_READ = 4 * MAX_AGENT_LENGTH;

/** Cuts the name that a program gave itself, and removes characters that could deceive a terminal or a page. */
export function cleanAgent(agent: string | null): string | null {
  return (
    agent
      ?.slice(0, MAX_READ)
      .replace(/[\p{Cc}\p{Cf}]/gu, "")
      .slice(0, MAX_AGENT_LENGTH) || null
  );
}

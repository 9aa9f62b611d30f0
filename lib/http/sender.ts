/** Who sent a request, for the owner's eyes on the token page. */
export type Sender = { ip: string | null; agent: string | null };

const MAX_AGENT_LENGTH = 200;
/** As much of a header as is looked at. */
const MAX_READ = 4 * MAX_AGENT_LENGTH;

/** A program's own name is its claim: cut, and without what a terminal or a page could be fooled by. */
export function cleanAgent(agent: string | null): string | null {
  return (
    agent
      ?.slice(0, MAX_READ)
      .replace(/[\p{Cc}\p{Cf}]/gu, "")
      .slice(0, MAX_AGENT_LENGTH) || null
  );
}

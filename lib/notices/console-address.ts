import { env } from "@/lib/process/env";
import { listeningOrigin } from "@/lib/process/listening-origin";

/**
 * The origin that links in messages begin with. Without BASE_URL it is where this process listens: never a Host header, by
 * which a stranger could have the console mail links to a place of their own.
 */
export function consoleAddress(): string {
  return env.baseUrl ?? listeningOrigin(env.host, env.port);
}

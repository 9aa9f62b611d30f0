import { exchange } from "./exchange";
import { sharedOrigin } from "./fixtures";

/** As `exchange`, with the shared console. */
export function sendRaw(bytes: string, origin = sharedOrigin()): Promise<string> {
  return exchange(bytes, origin);
}

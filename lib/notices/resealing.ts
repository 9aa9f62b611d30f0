import { resealChannels } from "@/lib/notices/management";
import { runInBackground } from "@/lib/process/background";
import { log } from "@/lib/process/log.mjs";

/** Encrypts channels with the key that is now the first, once at the start, and says so. */
export function startResealing(): void {
  runInBackground("encrypting channels anew", async () => {
    const { resealed, left } = await resealChannels();
    if (resealed > 0 || left > 0) log("info", "channels encrypted anew", { resealed, left });
  });
}

import { deliver } from "@/lib/notices/channels/deliver";
import { resealChannels } from "@/lib/notices/management";
import { startSending } from "@/lib/notices/sending";
import { runInBackground } from "@/lib/process/background";
import { log } from "@/lib/process/log.mjs";

/** Starts what tells accounts of their servers, and encrypts channels with the key that is now the first. */
export function startNotices(): void {
  startSending(deliver);
  runInBackground("encrypting channels anew", async () => {
    const { resealed, left } = await resealChannels();
    if (resealed > 0 || left > 0) log("info", "channels encrypted anew", { resealed, left });
    if (left > 0) log("error", "channels that no key of NOTICE_KEY opens are sent nothing", { count: left });
  });
}

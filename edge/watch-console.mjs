import { apply } from "./apply.mjs";
import { Backoff } from "./console.mjs";
import { READ_EVERY } from "./limits.mjs";
import { logFailure } from "./log.mjs";
import { sleep } from "./waiting.mjs";

/** @import { Node } from "./node.mjs" */

/** Follows the console's configuration, until the end. @param {Node} node */
export async function watchConsole(node) {
  const wait = new Backoff();
  while (!node.stop.signal.aborted) {
    try {
      const news = await node.console.configuration(node.etag, node.stop.signal);
      node.reached();
      if (news === null) {
        wait.reset();
        continue;
      }
      node.configuration = news.configuration;
      try {
        await node.inOrder(() => apply(node));
      } catch (error) {
        // HAProxy or nftables cannot be asked. Both go on with what they have, and the configuration is asked for again.
        logFailure(error, "Not applied: ");
        await sleep(wait.next(null), node.stop.signal);
        continue;
      }
      wait.reset();
      node.etag = news.etag;
      node.save();
      // A console that holds nothing back is asked at its own pace.
      if (!news.etag) await sleep(READ_EVERY, node.stop.signal);
    } catch (error) {
      node.failed(error);
      await sleep(wait.next(error), node.stop.signal);
    }
  }
}

import { tryToApply } from "./apply.mjs";
import { Backoff } from "./console.mjs";
import { READ_EVERY } from "./limits.mjs";
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
      if (!(await tryToApply(node))) {
        // It was not applied, so it is asked for again.
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

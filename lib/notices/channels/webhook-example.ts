import { MINUTE } from "@/lib/format/time";
import { consoleAddress } from "@/lib/notices/console-address";
import type { Told } from "@/lib/notices/message";
import { textOf } from "@/lib/notices/wording";
import { webhookBody } from "./webhook";

const ID = "3f0d5b7e-9c1a-4e52-8d36-0a7b6c5d4e3f";

/** What a webhook gets of an outage that began before `now` (epoch ms), for people who write a receiver. */
export function exampleBody(now: number, zone: string): string {
  const outage: Told = {
    ...{ subject: "server" as const, subjectId: 7, kind: "offline", name: "web-1" },
    ...{ from: now - 5 * MINUTE, to: null, isEnd: false, isThird: false },
  };
  const text = textOf([outage], { now, zone, lastUntil: null, isLate: false });
  const message = { id: ID, at: new Date(now).toISOString(), ...text };
  return webhookBody({ ...message, link: consoleAddress() + text.link }, 2);
}

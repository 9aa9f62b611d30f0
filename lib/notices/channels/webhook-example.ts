import { MINUTE } from "@/lib/format/time";
import { consoleAddress } from "@/lib/notices/console-address";
import { textOf } from "@/lib/notices/wording";
import { webhookBody } from "./webhook";

const ID = "3f0d5b7e-9c1a-4e52-8d36-0a7b6c5d4e3f";

/** What a webhook gets of an outage that began before `now` (epoch ms), for people who write a receiver. */
export function exampleBody(now: number, zone: string): string {
  const outage = {
    id: 1,
    subject: "server",
    subjectId: 7,
    kind: "offline",
    from: now - 5 * MINUTE,
    to: null,
    name: "web-1",
  } as const;
  const content = { kind: "begun", incidents: [outage], flapping: [], unsent: null, heldBack: null } as const;
  const text = textOf(content, now, zone);
  const message = { id: ID, account: 1, thread: ID, at: new Date(now).toISOString(), ...text };
  return webhookBody({ ...message, link: consoleAddress() + text.link }, 2);
}

// An instance of the notices' loop in a process of its own, which a test kills. It looks all the time, and sends by the channels of the
// product. Its database is the first argument.
export {};

process.env.DATABASE_URL = process.argv[2];

const { deliver } = await import("@/lib/notices/channels/deliver");
const { makeRows } = await import("@/lib/notices/rows");
const { Sending } = await import("@/lib/notices/sending");

const sending = new Sending(deliver);
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
for (;;) {
  await makeRows();
  await sending.send();
  await new Promise((resolve) => setTimeout(resolve, 20));
}

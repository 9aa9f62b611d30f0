import { PlainError } from "@/lib/failures";
import { withDatabase } from "./with-database";

/** `npm run console -- sweep`: runs the hourly sweep of the instances now. Its log line says what was done. */
export async function main(): Promise<void> {
  await withDatabase(async () => {
    const { sweep } = await import("@/lib/sweep/sweep");
    const report = await sweep("now");
    if (!report) throw new PlainError("An instance is sweeping at this moment. Try again in a few minutes.");
    if (report.failed.length > 0) throw new PlainError(`These steps failed: ${report.failed.join(", ")}.`);
  });
}

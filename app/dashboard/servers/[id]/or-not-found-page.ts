import { notFound } from "next/navigation";
import { NotFoundError } from "@/lib/failures";

/** What was asked for, or the page that says there is no such page: also for what belongs to another account. */
export async function orNotFoundPage<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}

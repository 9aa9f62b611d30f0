import { notFound } from "next/navigation";
import { NotFoundError } from "@/lib/failures";

/** Returns the value, or shows the not-found page. Things of other accounts count as not found. */
export async function orNotFoundPage<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}

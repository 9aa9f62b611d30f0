import { NotFoundError } from "@/lib/failures";
import { csvRow } from "@/lib/format/csv";
import { findAccount, type SignedInAccount } from "@/lib/sign-in/sessions";

type CsvRows = readonly Parameters<typeof csvRow>[0][];

/** A file of rows for the session's account, or the sentence that says why there is none, with its status. */
export async function csvAnswer(
  make: (account: SignedInAccount) => Promise<{ name: string; rows: CsvRows } | { refused: string }>,
): Promise<Response> {
  const account = await findAccount();
  if (!account) return plainText("Sign in to the console first.", 401);
  try {
    const made = await make(account);
    if ("refused" in made) return plainText(made.refused, 400);
    return new Response(made.rows.map(csvRow).join(""), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${made.name}.csv"`,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  } catch (error) {
    if (error instanceof NotFoundError) return plainText("Not found.", 404);
    throw error;
  }
}

function plainText(text: string, status: number): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" } });
}

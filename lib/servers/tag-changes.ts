import { db } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { executeIn } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { type InvalidField, invalid } from "@/lib/failures";
import { MAX_TAGS } from "@/lib/servers/tag-text";
import { changedTags, checkTags } from "@/lib/servers/tags";

type TagsResult = { kind: "changed"; servers: number } | InvalidField<"add" | "remove" | "form">;

const s = table("Server", "s");

// Raw: many rows at once, each with tags of its own, in the order of their ids.
const WRITE = statement({ changes: parameter<string>("text") }, ({ changes }) => ({
  sql: `update ${s} set ${s.tags.name} = change.tags
    from (select id, array(select json_array_elements_text(tags)) as tags
      from json_to_recordset(${changes}::json) as row (id int, tags json) order by id) change
    where ${s.id} = change.id`,
}));

/**
 * Adds tags to servers of the account and removes others, as they were typed, from all of them or from none. `ids`: which
 * servers; those of other accounts are left alone. Answers how many servers have other tags now.
 */
export async function changeTags(
  accountId: number,
  ids: readonly number[],
  typed: { add: string; remove: string },
): Promise<TagsResult> {
  const [add, remove] = [checkTags(typed.add), checkTags(typed.remove)];
  if (add.kind === "invalid") return invalid("add", add.message);
  if (remove.kind === "invalid") return invalid("remove", remove.message);
  if (ids.length === 0) return invalid("form", "Choose at least one server.");
  if (add.tags.length + remove.tags.length === 0) return invalid("form", "Enter tags to add or to remove.");
  return write(accountId, ids, (before) => changedTags(before, { add: add.tags, remove: remove.tags }));
}

/** Gives a server of the account these tags, as they were typed, in place of those that it had. */
export async function setTags(accountId: number, id: number, typed: string): Promise<TagsResult> {
  const checked = checkTags(typed);
  if (checked.kind === "invalid") return invalid("add", checked.message);
  return write(accountId, [id], () => checked.tags);
}

async function write(
  accountId: number,
  ids: readonly number[],
  next: (before: readonly string[]) => string[] | null,
): Promise<TagsResult> {
  return db.$transaction(async (tx) => {
    // Of two changes at once the second sees the tags of the first.
    await lockAccount(tx, accountId);
    const rows = await tx.server.findMany({
      where: { accountId, id: { in: [...ids] } },
      select: { id: true, label: true, tags: true },
      orderBy: { id: "asc" },
    });
    if (rows.length === 0) return invalid("form", "Nothing was changed: these servers no longer exist.");
    const changes: { id: number; tags: string[] }[] = [];
    for (const { id, label, tags } of rows) {
      const after = next(tags);
      if (after === null) {
        return invalid("form", `Nothing was changed: ${label} would have more than ${MAX_TAGS} tags.`);
      }
      if (after.join() !== [...tags].join()) changes.push({ id, tags: after });
    }
    if (changes.length > 0) await executeIn(tx, WRITE, { changes: JSON.stringify(changes) });
    return { kind: "changed", servers: changes.length };
  });
}

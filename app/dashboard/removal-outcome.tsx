import { Notice } from "@/app/ui/notice";
import { ownsServer } from "@/lib/servers/management";

type Query = string | string[] | undefined;
type Props = { accountId: number; removed: Query; unchanged: Query };

/** Shows the result of a removal. The URL only names the step, so a forged or reloaded URL cannot show a false result. */
export async function RemovalOutcome({ accountId, removed, unchanged }: Props) {
  if (unchanged !== undefined) {
    return <Notice tone="warning">Nothing was changed: there is no such server any more.</Notice>;
  }
  if (typeof removed !== "string" || (await ownsServer(accountId, removed))) return null;
  return <Notice tone="done">The server is removed. A daemon that still reports for it is refused.</Notice>;
}

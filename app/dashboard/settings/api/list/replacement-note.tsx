import { Fingerprint } from "@/app/ui/fingerprint";
import { dateText, untilText } from "@/lib/relative-time";
import type { TokenRecord } from "@/lib/tokens/management";

/** Of an active token that another one takes the place of: by which, and when this one ends. */
export function ReplacementNote({ token, by, now }: { token: TokenRecord; by: TokenRecord; now: Date }) {
  return (
    <span className="soft">
      Being replaced by <Fingerprint hint={by.hint} />
      {token.endsOnFirstUse
        ? ": ends when that one is first used"
        : token.expiresAt && `: ends ${untilText(token.expiresAt, now)} (${dateText(token.expiresAt)})`}
    </span>
  );
}

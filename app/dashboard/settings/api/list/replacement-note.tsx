import { Fingerprint } from "@/app/ui/fingerprint";
import { Time } from "@/app/ui/time";
import { dateText, untilText } from "@/lib/relative-time";
import { DAY } from "@/lib/time";
import type { TokenRecord } from "@/lib/tokens/management";

/** Of an active token that another one takes the place of: by which, and when this one ends. */
export function ReplacementNote({ token, by, now }: { token: TokenRecord; by: TokenRecord; now: Date }) {
  return (
    <span className="soft">
      Being replaced by <Fingerprint hint={by.hint} />
      {token.endsOnFirstUse
        ? ": ends when that one is first used"
        : token.expiresAt && <EndOfOverlap at={token.expiresAt} now={now} />}
    </span>
  );
}

/** Of the last hours "today" would say too little. */
function EndOfOverlap({ at, now }: { at: Date; now: Date }) {
  if (at.getTime() - now.getTime() > DAY) return `: ends ${untilText(at, now)} (${dateText(at)})`;
  return (
    <>
      : ends <Time at={at} now={now} />
    </>
  );
}

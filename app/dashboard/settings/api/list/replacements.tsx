import { DateOf, Time, Until } from "@/app/ui/time";
import { DAY } from "@/lib/format/time";
import type { TokenRecord } from "@/lib/tokens/management";
import { TokenLink } from "../token-name";

type Props = {
  token: TokenRecord;
  isActive: boolean;
  /** The token that takes its place, and the one whose place it takes. */
  by: TokenRecord | null | undefined;
  of: TokenRecord | null | undefined;
  className: string;
  now: Date;
};

/** Which tokens a token replaces and is replaced by, and when it ends meanwhile. */
export function Replacements({ token, isActive, by, of, className, now }: Props) {
  return (
    <>
      {by && (
        <span className={className}>
          {isActive ? "Being replaced by " : "Replaced by "}
          <TokenLink token={by} />
          {isActive && <EndOfOverlap token={token} now={now} />}
        </span>
      )}
      {of && (
        <span className={className}>
          Replaces <TokenLink token={of} />
        </span>
      )}
    </>
  );
}

function EndOfOverlap({ token: { endsOnFirstUse, expiresAt }, now }: { token: TokenRecord; now: Date }) {
  if (endsOnFirstUse) return ": ends when that one is first used";
  if (!expiresAt) return null;
  // On the last day the hour counts: "today" would say too little.
  if (expiresAt.getTime() - now.getTime() <= DAY) {
    return (
      <>
        : ends <Time at={expiresAt} now={now} />
      </>
    );
  }
  return (
    <>
      : ends <Until at={expiresAt} now={now} /> (<DateOf at={expiresAt} />)
    </>
  );
}

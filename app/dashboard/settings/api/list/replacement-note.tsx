import { Fingerprint } from "@/app/ui/fingerprint";
import { DateOf, Time, Until } from "@/app/ui/time";
import { DAY } from "@/lib/format/time";
import { tokenPath } from "@/lib/page-paths";
import type { TokenRecord } from "@/lib/tokens/management";

type Props = { token: TokenRecord; by: TokenRecord; isActive?: boolean; now: Date };

/** The token that takes the place of this one, and when this one ends. */
export function ReplacementNote({ token, by, isActive = true, now }: Props) {
  const link = (
    <a className="inline-link" href={tokenPath(by.id)}>
      <Fingerprint hint={by.hint} />
    </a>
  );
  if (!isActive) return <span className="soft">Replaced by {link}</span>;
  return (
    <span className="soft">
      Being replaced by {link}
      {token.endsOnFirstUse
        ? ": ends when that one is first used"
        : token.expiresAt && <EndOfOverlap at={token.expiresAt} now={now} />}
    </span>
  );
}

/** On the last day the hour counts: "today" would say too little. */
function EndOfOverlap({ at, now }: { at: Date; now: Date }) {
  if (at.getTime() - now.getTime() > DAY) {
    return (
      <>
        : ends <Until at={at} now={now} /> (<DateOf at={at} />)
      </>
    );
  }
  return (
    <>
      : ends <Time at={at} now={now} />
    </>
  );
}

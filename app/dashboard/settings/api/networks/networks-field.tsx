import { describedBy, Field } from "@/app/ui/field";
import { Ip } from "@/app/ui/ip";
import { Notice } from "@/app/ui/notice";
import { useFacts } from "../facts";

type Props = { id: string; label: string; typed: string; error: string | null };

/** The networks that a token may be used from, one on each line. */
export function NetworksField({ id, label, typed, error }: Props) {
  const { maxNetworks, maxNetworksText, ip, mayBeProxy } = useFacts();
  return (
    <div className="stack">
      <Field
        id={id}
        label={label}
        hint={
          <>
            Up to {maxNetworks}, one on each line, such as 203.0.113.0/24 or 2001:db8::/32. Without any it works from
            everywhere.
            {ip !== null && (
              <>
                {" "}
                This page was opened from <Ip ip={ip} />.
              </>
            )}
          </>
        }
        error={error}
      >
        {/* React resets the form to its default text after an action, so the default is what was typed last. */}
        <textarea
          key={typed}
          id={id}
          className="input mono"
          name="networks"
          rows={3}
          defaultValue={typed}
          maxLength={maxNetworksText}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...describedBy(id, error, true)}
        />
      </Field>
      {mayBeProxy && (
        <Notice tone="warning" isQuiet>
          The console may not see where requests come from: {ip === null ? "it knows no ip of yours" : <Ip ip={ip} />}
          {ip !== null && " may be the ip of a proxy in front of it"}. A token would then be refused everywhere, or work
          from everywhere behind that proxy. The operator of the console sets this right with TRUSTED_PROXIES.
        </Notice>
      )}
    </div>
  );
}

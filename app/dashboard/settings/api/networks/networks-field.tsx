import { describedBy, Field } from "@/app/ui/field";
import { useFacts } from "../facts";

type Props = { id: string; label: string; typed: string; error: string | null };

/** The networks that a token may be used from, one on each line. */
export function NetworksField({ id, label, typed, error }: Props) {
  const { maxNetworksText, networksHint, proxyWarning } = useFacts();
  return (
    <div className="stack">
      <Field id={id} label={label} hint={networksHint} error={error}>
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
      {proxyWarning}
    </div>
  );
}

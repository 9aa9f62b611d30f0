/** What tells a token from others without giving it away: "cpat_…a1B2". */
export function Fingerprint({ hint, isSoft = false }: { hint: string; isSoft?: boolean }) {
  return (
    <code translate="no" className={isSoft ? "soft nowrap" : "nowrap"}>
      cpat_…{hint}
    </code>
  );
}

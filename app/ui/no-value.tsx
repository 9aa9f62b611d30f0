/** A dash in the place of a value; screen readers say why there is none. */
export function NoValue({ why }: { why: string }) {
  return (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}

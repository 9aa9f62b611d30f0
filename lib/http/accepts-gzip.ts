/** Whether an Accept-Encoding names gzip, or else anything, and not with a weight of 0. */
export function acceptsGzip(header: string | null | undefined): boolean {
  const parts = (header ?? "").toLowerCase().split(",");
  const weights = new Map(
    parts.map((part) => {
      const [name = "", weight = ""] = part.split(";").map((text) => text.trim());
      return [name, weight];
    }),
  );
  const weight = weights.get("gzip") ?? weights.get("*");
  return weight !== undefined && !/^q\s*=\s*0(?:\.0*)?$/.test(weight);
}

/** The parts of a client that follow from the OpenAPI document. The rest of its file is edited in that file itself. */
export type ClientRegions = { types: string; methods: string };

/** The file of a client with its regions written anew. @throws Error when the file has no such region. */
export function fillRegions(file: string, regions: ClientRegions): string {
  return Object.entries(regions).reduce((text, [name, content]) => {
    const region = new RegExp(`(#\\s?region ${name}\\n\\n)[^]*?(\\n *(?://|#) ?#?endregion)`);
    if (!region.test(text)) throw new Error(`A client has no region "${name}".`);
    return text.replace(region, (_, begin, end) => begin + content + end);
  }, file);
}

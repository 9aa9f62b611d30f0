/**
 * The fields of the form with this button in the HTML of a page, for requests that no browser sends. Empty fields are
 * among them. @throws when there is no such form.
 */
export function fieldsOfForm(html: string, button: string): [string, string][] {
  const form = (html.match(/<form[\s\S]*?<\/form>/g) ?? []).find((each) => each.includes(button));
  if (!form) throw new Error(`The page has no form with "${button}".`);
  const attribute = (input: string, name: string) =>
    new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]?.replaceAll("&quot;", '"') ?? "";
  const inputs = form.match(/<input[^>]*>/g) ?? [];
  return inputs.map((input) => [attribute(input, "name"), attribute(input, "value")]);
}

function formOf(fields: readonly (readonly [string, string])[], changes: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, changes[name] ?? value);
  return form;
}

/** Sends the fields of a form, some of them changed, as no browser would. */
export async function sendFields(
  url: string,
  fields: readonly (readonly [string, string])[],
  headers: Record<string, string>,
  changes: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: "POST", body: formOf(fields, changes), headers, redirect: "manual" });
}

/** The form with this button in the bytes of a browser without scripts, some of its fields typed, and their type. */
export async function bodyOfForm(html: string, button: string, typed: Record<string, string>) {
  const written = new Response(formOf(fieldsOfForm(html, button), typed));
  return { body: Buffer.from(await written.arrayBuffer()), type: written.headers.get("content-type") ?? "" };
}

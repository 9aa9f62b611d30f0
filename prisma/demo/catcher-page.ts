/** A message that arrived. Its texts may hold anything. */
export type Caught = {
  number: number;
  at: Date;
  kind: "Mail" | "Webhook";
  title: string;
  facts: (readonly [name: string, value: string])[];
  text: string;
};

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 0 auto; padding: 1rem; }
article { border-top: 1px solid GrayText; padding: 0.5rem 0; }
h2 { margin: 0; font-size: 1.1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.5rem 0; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 0.5rem 0; font-family: ui-monospace, monospace; font-size: 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** Shows what arrived since. Without it, the page is loaded again by hand. */
export const SCRIPT = `
setInterval(async () => {
  try {
    const newest = await (await fetch("/newest")).text();
    if (newest !== document.body.dataset.newest) location.reload();
  } catch {}
}, 2000);
`;

type Kept = { newest: number; most: number };

/** The page of what arrived, the newest first. Texts of messages are text; addresses in them are links. */
export function catcherPage(caught: readonly Caught[], { newest, most }: Kept): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sent by the demo (${newest})</title>
<style>${STYLE}</style>
<body data-newest="${newest}">
<main>
<h1>Sent by the demo</h1>
<p>All mail of the demo's console arrives here, and every webhook that names this address: the newest ${most}, until the demo stops.</p>
${caught.length === 0 ? "<p>Nothing has arrived yet.</p>" : caught.map(article).join("\n")}
</main>
<script>${SCRIPT}</script>
`;
}

function article({ number, at, kind, title, facts, text }: Caught): string {
  const rows = [["Arrived", at.toISOString().replace(/T(.{8}).*/, " $1 UTC")] as const, ...facts];
  return `<article aria-labelledby="m${number}">
<h2 id="m${number}"><bdi>${kind}: ${escapeHtml(title)}</bdi></h2>
<dl>${rows.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd>`).join("\n")}</dl>
<pre>${withLinks(text)}</pre>
</article>`;
}

/** Odd parts are addresses. */
function withLinks(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"'\\]+)/);
  const link = (address: string) => `<a href="${address}" rel="noreferrer">${address}</a>`;
  return parts.map((part, index) => (index % 2 === 1 ? link(escapeHtml(part)) : escapeHtml(part))).join("");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

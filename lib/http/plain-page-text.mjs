/**
 * Writes a whole page without any script, for when the console itself cannot answer. Plain JavaScript, because the server
 * sends it, too. The texts are ours, or of addresses that were parsed, so nothing is escaped. Without a link, "Try again"
 * leads to the URL of the request.
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.text
 * @param {string} [page.hint] a second paragraph
 * @param {{ href: string, words: string }} [page.link]
 * @param {string} page.nonce of the Content-Security-Policy it is sent with
 */
export function plainPageText({ title, text, hint, link = { href: "", words: "Try again" }, nonce }) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Console</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<img src="/logo.svg" alt="Console" width="40" height="40">
<h1>${title}</h1>
<p>${text}</p>
${hint ? `<p>${hint}</p>\n` : ""}<p><a href="${link.href}">${link.words}</a></p>
</main>
</body>
</html>
`;
}

/** What people read while the database does not answer. */
export const OUTAGE = {
  title: "The console is unavailable right now",
  text: "Its database does not answer. Nothing was lost; try again in a moment.",
};
/** When they should try again, in seconds. */
export const OUTAGE_RETRY_AFTER = 5;

/** The colours of app/tokens.css. */
const STYLE = `
:root { color-scheme: light dark; --canvas: #f7f8f7; --ink: #16191a; --soft: #565e60; --accent: #0b6b5d; --on-accent: #fff }
@media (prefers-color-scheme: dark) {
  :root { --canvas: #0e1111; --ink: #eceeed; --soft: #a3adac; --accent: #5fd3bb; --on-accent: #06201b }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--canvas); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; text-align: center }
main { max-width: 30rem; overflow-wrap: anywhere; padding: 2rem 1rem 6rem }
h1 { margin: 1.25rem 0 0.5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.014em; text-wrap: balance }
p { margin: 0 0 1.5rem; color: var(--soft); text-wrap: pretty }
a { display: inline-block; padding: 0.625rem 1.125rem; border-radius: 0.5rem; background: var(--accent);
  color: var(--on-accent); font-weight: 560; text-decoration: none }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`;

"use client";

/**
 * The body of a table, a row each line; tabs divide the head from the cells. As one text, because React sends what a server
 * component makes twice, the second time with an object for each of a page's thousand cells. Written as HTML for the same
 * reason; no text in it is markup.
 */
export function TextRows({ text }: { text: string }) {
  const rows = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .split("\n")
    .map((line) => {
      const [head, ...cells] = line.split("\t");
      return `<tr><th scope="row">${head}</th><td>${cells.join("</td><td>")}</td></tr>`;
    });
  // biome-ignore lint/security/noDangerouslySetInnerHtml: no markup is left in the text
  return <tbody dangerouslySetInnerHTML={{ __html: rows.join("") }} />;
}

"use client";

/**
 * The rows of a table, a line each; tabs divide the head from the cells. As one text, because React sends what a server
 * component makes twice, and the second time each cell would be an object.
 */
export function TextRows({ text }: { text: string }) {
  return text.split("\n").map((line, row) => {
    const [head, ...cells] = line.split("\t");
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a row is nothing but its place and its texts
      <tr key={row}>
        <th scope="row">{head}</th>
        {cells.map((cell, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as well
          <td key={column}>{cell}</td>
        ))}
      </tr>
    );
  });
}

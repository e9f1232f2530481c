/** Text of a document as HTML. */

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "")

/** A text with its code in backticks, as the document has it. */
export const text = (markdown: string): string => escape(markdown).replace(/`([^`]+)`/g, "<code>$1</code>")

export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0
    ? ""
    : [
        "<table><thead><tr>",
        ...heads.map((head) => `<th scope="col">${head}</th>`),
        "</tr></thead><tbody>",
        ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`),
        "</tbody></table>"
      ].join("")

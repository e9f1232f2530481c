/**
 * The headings of a document, as GitHub makes anchors of them.
 */

/** The anchors of a document's headings. A heading that comes again has a number. */
export const anchors = (document: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [, title = ""] of document.replace(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)) {
    const anchor = title
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-")
    let [unique, count] = [anchor, 0]
    while (found.has(unique)) unique = `${anchor}-${++count}`
    found.add(unique)
  }
  return found
}

/**
 * The links of documents. They are relative, and those of a page of the package lead to what the
 * package has. What only the repository has is named by its path, as code.
 */
import { posix } from "node:path"

/** The targets of a document's links, outside of blocks of code. */
export const of = (text: string): ReadonlyArray<string> =>
  Array.from(text.replace(/^```.*?^```$/gms, "").matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)

/** The paths from the root that a text names as code. */
export const named = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.replace(/^```.*?^```$/gms, "").matchAll(/`((?:src|adapters|test|examples)\/[\w./@-]+)`/g),
    ([, path = ""]) => path.replace(/\/$/, "")
  )

/** Whether a link is relative. */
export const isRelative = (link: string): boolean => !/^\w+:/.test(link)

/** The path in the repository that a relative link of a document leads to, without its heading. */
export const pathOf = (document: string, link: string): string => {
  const [target = ""] = link.split("#", 1)
  return target === "" ? document : posix.join(posix.dirname(document), target).replace(/\/$/, "")
}

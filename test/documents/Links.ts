/**
 * The links of documents. Those to what the package has are relative. What only the repository has is named by its address
 * there, so that the link works in the package too.
 */
import { posix } from "node:path"
import * as Documents from "./Documents.ts"

const manifest: { readonly repository: { readonly url: string } } = JSON.parse(Documents.read("package.json"))

/** The address of the repository in a browser, from the manifest. */
export const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "")

const IN_REPOSITORY = new RegExp(`^${repository}/(?:blob|tree|raw)/main/`)

/** Whether a link is the address of a file of the repository, and not of the page that shows it. */
export const isRaw = (link: string): boolean => link.startsWith(`${repository}/raw/main/`)

/** The targets of a document's links, outside of blocks of code. */
export const of = (text: string): ReadonlyArray<string> =>
  Array.from(text.replace(/^```.*?^```$/gms, "").matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)

/** The path in the repository that a link of a document leads to, without its heading; null where it leads elsewhere. */
export const pathOf = (document: string, link: string): string | null => {
  const [target = ""] = link.split("#", 1)
  if (IN_REPOSITORY.test(target)) return target.replace(IN_REPOSITORY, "")
  if (/^\w+:/.test(target)) return null
  return target === "" ? document : posix.join(posix.dirname(document), target).replace(/\/$/, "")
}

/** Whether a link is relative. */
export const isRelative = (link: string): boolean => !/^\w+:/.test(link)

/** The link that leads to a path of the repository from anywhere. */
export const absolute = (path: string, isFolder: boolean): string =>
  `${repository}/${isFolder ? "tree" : "blob"}/main/${path}`

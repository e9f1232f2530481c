/**
 * The documents of the repository, and its other files by folder.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { sep } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The paths from the root of the files below folders whose names match; nothing installed. */
export const below = (folders: ReadonlyArray<string>, name: RegExp): ReadonlyArray<string> =>
  folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll(sep, "/")}`)
      .filter((path) => name.test(path) && !path.includes("node_modules/"))
  )

/** The paths of the documents from the root. */
export const paths: ReadonlyArray<string> = below(["src", "adapters", "test", "examples"], /\.md$/).concat(
  "README.md",
  "CHANGELOG.md"
)

/** Paths from the root of the examples in JavaScript. */
export const examples: ReadonlyArray<string> = below(["examples"], /\.js$/)

export const exists = (path: string): boolean => existsSync(`${root}${path}`)

export const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

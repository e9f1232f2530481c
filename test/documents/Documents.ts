/**
 * The documents of the repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

const below = (folder: string, extension: string): ReadonlyArray<string> =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(extension) && !path.includes("node_modules/"))
    .map((path) => `${folder}/${path}`)

/** Their paths from the root. */
export const paths: ReadonlyArray<string> = ["src", "adapters", "test", "examples"]
  .flatMap((folder) => below(folder, ".md"))
  .concat("README.md", "CHANGELOG.md")

/** Paths from the root of the examples in JavaScript. */
export const examples: ReadonlyArray<string> = below("examples", ".js")

export const exists = (path: string): boolean => existsSync(`${root}${path}`)

export const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

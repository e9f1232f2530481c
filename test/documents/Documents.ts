/**
 * The documents of the repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Their paths from the root. */
export const paths: ReadonlyArray<string> = ["src", "adapters", "test", "examples"]
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  )
  .filter((path) => path.endsWith(".md") && !path.includes("node_modules/"))
  .concat("README.md", "CHANGELOG.md")

export const exists = (path: string): boolean => existsSync(`${root}${path}`)

export const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")

/**
 * The words of identifiers: the standard ones (publish, notify, report, poll, observe), and none of
 * our own for them.
 */
import { parseSync } from "vite"
import { expect, it } from "vitest"
import * as Documents from "../documents/Documents.ts"

/** Words for which there is a standard one. `lookup` is one itself, as in DNS. */
const ours =
  /^(?:un|re|fore)?(?:tell(?:s|ing|ings|er|ers)?|told|hear(?:s|d|ing|er|ers)?|look(?:s|ed|ing|ings)?|sight(?:s|ed|ing|ings)?|breath(?:s|e|es|ed|ing)?|nobod(?:y|ys|ies)|(?:im)?patien(?:t|ts|ce))$/

const words = (name: string): ReadonlyArray<string> => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []

const namesIn = (node: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (Array.isArray(node)) for (const one of node) namesIn(one, found)
  else if (typeof node === "object" && node !== null) {
    if ("type" in node && (node.type === "Identifier" || node.type === "PrivateIdentifier")) {
      if ("name" in node && typeof node.name === "string") found.add(node.name)
    }
    for (const child of Object.values(node)) namesIn(child, found)
  }
  return found
}

const refused = (path: string, text: string): ReadonlyArray<string> => {
  // Only a file that has such a word somewhere is parsed.
  if (!/tell|told|hear|look|sight|breath|nobod|patien/i.test(text)) return []
  const names = [...namesIn(parseSync(path, text).program)]
  return names
    .filter((name) => words(name).some((word) => ours.test(word.toLowerCase())))
    .map((name) => `${path}: ${name}`)
}

const paths = Documents.below(["src", "adapters", "examples", "test"], /\.(?:ts|mts|mjs)$/)

it("Identifiers have the standard words", { timeout: 120_000 }, () => {
  expect(paths.length).toBeGreaterThan(500)
  expect(paths.flatMap((path) => refused(path, Documents.read(path)))).toEqual([])
})

it("An identifier with a word of our own is found, and no text, comment or standard name", () => {
  const found = (text: string) => refused("src/app/A.ts", text)
  expect(found("export const isTold = true")).toEqual(["src/app/A.ts: isTold"])
  expect(found("export const a = { untold: 1 }.untold")).toEqual(["src/app/A.ts: untold"])
  expect(found("export interface A { readonly lookedFor: string }")).toEqual(["src/app/A.ts: lookedFor"])
  expect(found("export type Hear<Telling> = (heard: Telling) => void")).toHaveLength(3)
  expect(found("export class A { #sightings = 0; breathe() { return this.#sightings } }")).toHaveLength(2)
  expect(found("const OF_NOBODY = 1\nexport { OF_NOBODY }")).toEqual(["src/app/A.ts: OF_NOBODY"])
  expect(found("const PATIENCE = 1\nexport const patienceMillis = PATIENCE")).toHaveLength(2)
  expect(found('// told\nexport const a = "nobody looks"')).toEqual([])
  expect(found("export const lookup = (nameLookup: number, heartbeat: number) => nameLookup + heartbeat")).toEqual([])
})

/**
 * Books in memory: they live as long as the layer does, and run anywhere.
 */
import { Effect, Layer } from "effect"
import { Books, type Document, type Entry } from "./Books.ts"

const make = Effect.sync(() => {
  const kinds = new Map<string, Map<string, Document>>()
  const shelf = (kind: string): Map<string, Document> => {
    const known = kinds.get(kind)
    if (known !== undefined) return known
    const fresh = new Map<string, Document>()
    kinds.set(kind, fresh)
    return fresh
  }

  const add = (kind: string, key: string, document: Document): Document => {
    const stored = shelf(kind).get(key)
    if (stored !== undefined) return stored
    shelf(kind).set(key, document)
    return document
  }

  return Books.of({
    add: (kind, key, document) => Effect.sync(() => add(kind, key, document)),
    addUnless: (other, kind, key, document) =>
      Effect.sync(() => {
        const found = shelf(other).get(key)
        return found === undefined ? { kind, document: add(kind, key, document) } : { kind: other, document: found }
      }),
    get: (kind, key) => Effect.sync(() => shelf(kind).get(key) ?? null),
    all: (kind, iccid) =>
      Effect.sync(() => {
        const found: Array<Entry> = []
        for (const [key, document] of shelf(kind)) {
          if (iccid === undefined || document["iccid"] === iccid) found.push({ key, document })
        }
        return found
      })
  })
})

/** Empty books. */
export const layer: Layer.Layer<Books> = Layer.effect(Books, make)

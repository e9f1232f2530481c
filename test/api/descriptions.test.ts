/**
 * Each name that an entry point exports has a doc comment, and so has each public method and field.
 */
import { describe, expect, it } from "vitest"
import { undescribed } from "./Descriptions.ts"
import { entryPoints, exported, read } from "./EntryPoints.ts"
import { sourceOf } from "./Sources.ts"

/** A view says itself what it means, and a sample is named after its field. */
const speaksForItself = (path: string): boolean =>
  path === "src/domain/Samples.ts" || (path.startsWith("src/views/") && !path.endsWith("/View.ts"))

const missing = (entry: string): ReadonlyArray<string> =>
  [...exported(entry)].flatMap(([path, names]) =>
    speaksForItself(path) ? [] : undescribed(read(path), (name) => names.has(name))
  )

describe("what the entry points export", () => {
  it.each([...entryPoints])("is described by simplan/%s", (_, path) => {
    expect(exported(path).size).toBeGreaterThan(0)
    expect(missing(path)).toEqual([])
  })

  it("is followed through modules that export from others", () => {
    const ports = exported("src/ports/index.ts")
    expect(ports.get("src/ports/Telco.ts")).toContain("Telco")
    expect(ports.get("src/ports/storage/Commit.ts")).toContain("Commit")
    expect(exported("adapters/webhooks-http/index.ts").get("adapters/webhooks-http/Signature.ts")).toContain("verify")
  })
})

describe("what has no description", () => {
  const found = (text: string) => undescribed(sourceOf("a.ts", text), (name) => name !== "hidden")

  it("is found in interfaces", () => {
    const text =
      "/** A thing. */\nexport interface Thing {\n  /** Its id. */\n  readonly id: string\n  readonly size: number\n}\n"
    expect(found(text)).toEqual(["a.ts: Thing.size"])
    expect(found(text.replace("/** A thing. */\n", ""))).toEqual(["a.ts: Thing", "a.ts: Thing.size"])
  })

  it("is found in services and in errors", () => {
    const service = "/** S. */\nexport class S extends Context.Service<S, { readonly get: () => void }>()('s') {}\n"
    expect(found(service)).toEqual(["a.ts: S.get"])
    const error = "/** E. */\nexport class E extends Data.TaggedError('E')<{ readonly why: string }> {}\n"
    expect(found(error)).toEqual(["a.ts: E.why"])
  })

  it("is looked for in nothing else", () => {
    const text = [
      "/** A list. */",
      "// biome-ignore lint: a reason",
      "export const list = { first: 1 }",
      "const hidden = 2",
      "/** A union. */",
      "export type Union = { readonly _tag: 'A'; readonly size: number } | null",
      "/** A class. */",
      "export class Tagged { readonly _tag = 'Tagged'; #secret = 1; private own = 2 }"
    ]
    expect(found(text.join("\n"))).toEqual([])
  })
})

it("What import loads as simplan/testing has all that require has", async () => {
  const [entry, index] = await Promise.all([
    import("../../adapters/simulation/entry.ts"),
    import("../../adapters/simulation/index.ts")
  ])
  expect(Object.keys(entry).sort()).toEqual(Object.keys(index).sort())
})

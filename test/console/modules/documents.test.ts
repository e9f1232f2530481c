/** The links of the console's pages to the documents. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import * as Documents from "../../../adapters/console/Documents.ts"
import * as Headings from "../../documents/Headings.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

it.each(Object.entries(Documents.pages))("of the page %s leads to a heading that is there", (page, link) => {
  const [path = "", anchor] = link.split("#")
  expect(existsSync(root + path)).toBe(true)
  if (anchor !== undefined) expect([...Headings.anchors(readFileSync(root + path, "utf8"))]).toContain(anchor)
  expect(Documents.of(page)).toMatch(/^https:\/\/github\.com\/.+/)
})

it("of another page leads to that of the console", () => {
  expect(Documents.of("nothing")).toMatch(/adapters\/cli\/console\.md$/)
})

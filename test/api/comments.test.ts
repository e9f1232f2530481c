/**
 * The compiled files have no comments, and mean the same without them.
 */
import { parseSync } from "vite"
import { expect, it } from "vitest"
import { withoutComments } from "../../adapters/cli/build/compiled.mjs"

const stripped = (text: string): string => withoutComments(text, parseSync("a.js", text).comments)

it("leaves out the lines of comments, and what else is on a line stays", () => {
  const text = [
    "/** What it is. */",
    'const text = "/* é — 🙂 */ // no comment"',
    "  // why",
    "const of = (/* a list */ list) => list // in order",
    "/*",
    " * more",
    " */",
    "export { of, text }"
  ]
  expect(stripped(text.join("\n")).split("\n")).toEqual([
    'const text = "/* é — 🙂 */ // no comment"',
    "const of = ( list) => list ",
    "export { of, text }"
  ])
})

it("keeps what is for tools", () => {
  const text =
    "#!/usr/bin/env node\nconst a = /* @__PURE__ */ make()\nconst b = /*#__PURE__*/ make()\nimport(/* @vite-ignore */ a)\n"
  expect(stripped(text)).toBe(text)
})

/**
 * The examples work, and the documents show them as they are.
 */
import { readFileSync } from "node:fs"
import { expect, it, vi } from "vitest"

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")

it.each([
  ["examples/embed.ts", "README.md", "LPA:1$smdp.example$ONE"],
  ["examples/advance.ts", "examples/testing.md", Date.UTC(2026, 0, 1, 12)]
])("%s prints what it says, and is that of %s", async (name, document, printed) => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  await import(`../../${name}`)
  expect(log.mock.calls).toEqual([[printed]])
  log.mockRestore()
  expect(text(document)).toContain(`\`\`\`ts\n${text(name)}\`\`\``)
})

it("embedding takes 15 lines at most", () => {
  expect(text("examples/embed.ts").trimEnd().split("\n").length).toBeLessThanOrEqual(15)
})

/**
 * The embedding example works, and the README shows it as it is.
 */
import { readFileSync } from "node:fs"
import { expect, it, vi } from "vitest"

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")

it("prints what the traveller scans", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  await import("../../examples/embed.ts")
  expect(log.mock.calls).toEqual([["LPA:1$smdp.example$ONE"]])
  log.mockRestore()
})

it("is the README's, of 15 lines", () => {
  expect(text("README.md")).toContain(`\`\`\`ts\n${text("examples/embed.ts")}\`\`\``)
  expect(text("examples/embed.ts").trimEnd().split("\n")).toHaveLength(15)
})

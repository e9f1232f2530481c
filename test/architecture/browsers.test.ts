/**
 * What a test expects of a page is polled: a page that is read once may still wait for its data,
 * and the test then fails on a slow machine and on no other.
 */
import { expect, it } from "vitest"
import * as Documents from "../documents/Documents.ts"

const reads = "count|isVisible|isDisabled|isEnabled|innerText|allInnerTexts|textContent|inputValue|getAttribute"

/** Helpers of the tests that read where the focus is. */
const focus = "focused|focusedId|hasFocus"

const readOnce = (text: string): ReadonlyArray<string> =>
  text.match(
    new RegExp(
      `expect\\(await (?:[^\\n]*\\.(?:${reads})|(?:page\\(\\)\\.)?(?:title|evaluate(?:<\\w+>)?|${focus}))\\([^\\n]*?\\)\\)\\.`,
      "g"
    )
  ) ?? []

it("What is expected of a page is polled", () => {
  const paths = Documents.below(["test"], /\.test\.ts$/)
  const found = paths.flatMap((path) => readOnce(Documents.read(path)).map((line) => `${path}: ${line}`))
  expect(found).toEqual([])
  expect(paths.length).toBeGreaterThan(300)
})

it("An expectation of a page that is read once is found", () => {
  const once = 'expect(await page.getByRole("alert").count()'
  const polled = 'await expect.poll(() => page.getByRole("alert").count()).toBe(0)'
  expect(readOnce(`${once}).toBe(0)\n${polled}`)).toEqual([`${once}).`])
})

/**
 * The files that the console gives.
 */
import { expect, it } from "vitest"
import * as Csv from "../../adapters/console/Csv.ts"

const cellOf = (text: string): string =>
  Csv.of(["a"], [[text]])
    .split("\r\n")
    .slice(1)
    .join("\r\n")

it("has a header, a row for each and quotes", () => {
  expect(
    Csv.of(
      ["a", "b"],
      [
        ["1", 'say "no", twice'],
        ["", "x\ny"]
      ]
    )
  ).toBe('"a","b"\r\n"1","say ""no"", twice"\r\n"","x\ny"\r\n')
})

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", '=HYPERLINK("x")'])("%j is no formula", (text) => {
  expect(cellOf(text)).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
})

it.each(["8944500000000000017", "Green", "a=b", "x - y", ""])("%j stays as it is", (text) => {
  expect(cellOf(text)).toBe(`"${text}"\r\n`)
})

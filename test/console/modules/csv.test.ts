/**
 * The files that the console gives, and the tables that the API does: neither has a formula.
 */
import { expect, it } from "vitest"
import * as Csv from "../../../adapters/console/Csv.ts"
import { Csv as Table } from "../../../adapters/fields/index.ts"

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

const formulas = [
  "=1+1",
  "+1",
  "-1+1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  " =1",
  "\uFF1D1",
  "\uFF201",
  '=HYPERLINK("x")'
]

it.each(formulas)("%j is no formula", (text) => {
  expect(cellOf(text)).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
  const [[cell] = []] = Csv.parse(Table.line(["a"], { a: text })).map(({ cells }) => cells)
  expect(cell).toBe(`'${text}`)
})

it.each(["8944500000000000017", "Green", "a=b", "x - y", "-1", "-0.02", ""])("%j stays as it is", (text) => {
  expect(cellOf(text)).toBe(`"${text}"\r\n`)
  expect(Table.line(["a"], { a: text })).toBe(text)
})

it("leaves phone numbers with their plus sign as they are", () => {
  expect(Csv.of(["msisdn"], [["+46700000001"], ["+1+1"]])).toBe('"msisdn"\r\n"+46700000001"\r\n"\'+1+1"\r\n')
})

it("reads records with the lines on which they begin", () => {
  const text = '\uFEFFa,b\r\n1,"x\ny""z"\n\n  \n, 3 \n"4"'
  expect(Csv.parse(text)).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["1", 'x\ny"z'] },
    { line: 6, cells: ["", "3"] },
    { line: 7, cells: ["4"] }
  ])
  expect(Csv.parse("")).toEqual([])
  expect(Csv.parse('a\n"never closed\n')).toEqual([
    { line: 1, cells: ["a"] },
    { line: 2, cells: ['"never closed'] }
  ])
})

it("reads a row that ends in an empty cell, before one that begins with a quote", () => {
  expect(Csv.parse('"891","Green",\n "892","Green",\n').map(({ cells }) => cells)).toEqual([
    ["891", "Green", ""],
    ["892", "Green", ""]
  ])
})

it("reads what it writes", () => {
  const rows = [
    ["a", 'b "c"\nd', ""],
    ["1", ",", "2"]
  ]
  expect(Csv.parse(Csv.of(["x", "y", "z"], rows)).map(({ cells }) => cells)).toEqual([["x", "y", "z"], ...rows])
})

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as CsvFile from "../../adapters/cli/client/CsvFile.ts"
import * as Progress from "../../adapters/cli/output/Progress.ts"
import * as FakeServer from "./FakeServer.ts"
import { inNewDirectory, type Outcome, simplan } from "./Terminal.ts"

inNewDirectory()
const serve = FakeServer.forEachTest()

const header = "iccid,label,is_esim,lpa\n"

const importFile = async (
  content: string | Uint8Array,
  answer: (asked: FakeServer.Asked) => FakeServer.Answer,
  isTerminal = false
): Promise<Outcome & { readonly asked: ReadonlyArray<FakeServer.Asked> }> => {
  const server = await serve(answer)
  writeFileSync("sims.csv", content)
  const args = ["sims", "import", "sims.csv", "--org", "o", "--url", server.url, "--token", "t"]
  return { ...(await simplan(args, {}, isTerminal)), asked: server.asked }
}

const nothing = { imported: 0, updated: 0, duplicates: 0, errors: [], error_count: 0, warnings: [], warning_count: 0 }

/** Imports all rows. */
const takeAll = ({ body }: FakeServer.Asked): FakeServer.Answer => ({
  body: { error: false, data: { ...nothing, imported: body.split("\n").filter((line) => /^\d/.test(line)).length } }
})

describe("sims import", () => {
  it("sends the file and prints the report", async () => {
    const outcome = await importFile(`${header}1,Green,true,a\n2,Green,true,b`, takeAll)
    expect(outcome.asked).toMatchObject([
      { method: "POST", path: "/admin/v1/organizations/o/sims", type: "text/csv", body: `${header}1,Green,true,a\n` },
      { body: `${header}2,Green,true,b` }
    ])
    expect(outcome.out).toBe("imported    2\nupdated     0\nduplicates  0\nerrors      0\nwarnings    0\n")
    expect(outcome.code).toBe(0)
  })

  it("writes rejected rows to a file, as they are below their header", async () => {
    const rows = ["1,Green,true,a", `"2",Nope,true,"a\nb"`, "", "3,Green,true,c", "4,Nope,true,d"]
    const bad = [2, 4].map((row) => ({ row, line: row + 1, iccid: String(row), message: "no such label" }))
    const server = await serve(() => ({
      body: { error: false, data: { ...nothing, imported: 2, errors: bad, error_count: 2 } }
    }))
    writeFileSync("sims.csv", `${header}${rows.join("\n")}\n`)
    const args = ["sims", "import", "sims.csv", "--org", "o", "--url", server.url, "--token", "t"]
    const outcome = await simplan([...args, "--rejected", "rejected.csv"])
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining("2 rejected rows are in rejected.csv.\n") })
    expect(readFileSync("rejected.csv", "utf8")).toBe(`${header}"2",Nope,true,"a\nb"\n4,Nope,true,d\n`)
    const unwritten = await simplan([...args, "--rejected", "none/rejected.csv"])
    expect(unwritten.err).toContain("none/rejected.csv cannot be written (NotFound).")
  })

  it("shows all rows at last where there is no terminal", async () => {
    for (const end of ["", "\n", "\n\n,,,\n"]) {
      const rows = Array.from({ length: 60 }, (_, index) => `${index},Green,true,`).join("\n")
      const { err } = await importFile(`${header}${rows}${end}`, takeAll)
      expect(err.trim().split("\n").at(-1)).toMatch(/^100 % {2}60 rows/)
    }
  })

  it("reads a file as the server does: any end of a line, UTF-16, and rows without values", async () => {
    const lines = ["iccid,label,is_esim,lpa", ...Array.from({ length: 49 }, (_, index) => `${index},Green,true,`)]
    for (const [end, below] of [
      ["\r", [",,,", ",,,"]],
      ["\r\n", []]
    ] as const) {
      for (const encoding of ["utf8", "utf16le"] as const) {
        const content = Buffer.from(`\uFEFF${[",,,", ...lines, ...below].join(end)}`, encoding)
        const { asked, code, out } = await importFile(content, takeAll)
        const sent = asked.flatMap(({ body }) => body.split("\n")).filter((line) => /^\d/.test(line))
        expect([code, sent, out.split("\n")[0]]).toEqual([0, lines.slice(1), "imported    49"])
        // Each part has the header and a row.
        for (const { body } of asked) expect(body).toMatch(/^(?:,,,\n)?iccid,label,is_esim,lpa\n(?:.*\n)*\d/)
      }
    }
  })

  it("asks with --dry-run what would come of the file", async () => {
    const server = await serve(takeAll)
    writeFileSync("sims.csv", `${header}1,Green,true,a\n`)
    const flags = ["--dry-run", "--org", "o", "--url", server.url, "--token", "t"]
    const { code, err, out } = await simplan(["sims", "import", "sims.csv", ...flags])
    expect([code, out]).toEqual([0, "to import   1\nto update   0\nduplicates  0\nerrors      0\nwarnings    0\n"])
    expect(err).toContain("1 rows, 1 to import, 0 errors")
    expect(server.asked).toMatchObject([{ path: "/admin/v1/organizations/o/sims?dry_run=true" }])
    const account = await simplan(["sims", "import", "--from-ocs", "--account", "1", ...flags])
    expect([account.code, account.err]).toEqual([2, expect.stringContaining("--dry-run is for a FILE.")])
  })

  it("sends a large file in pieces, and numbers the rows across them", async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `${index},Green,true,LPA:1$x$${index}\n`)
    const seen: Array<string> = []
    const outcome = await importFile(header + rows.join(""), (asked) => {
      const pieces = asked.body.split("\n").slice(1, -1)
      seen.push(...pieces)
      const [row, iccid] = [pieces.length, pieces.at(-1)?.split(",")[0] ?? ""]
      const wrong = [{ row, line: row + 1, iccid, message: "no" }]
      const messages = { errors: wrong, error_count: 1, warnings: wrong, warning_count: 1 }
      return { body: { error: false, data: { imported: pieces.length - 1, updated: 0, duplicates: 0, ...messages } } }
    })
    expect(seen.map((row) => `${row}\n`)).toEqual(rows)
    expect(outcome.asked.length).toBeGreaterThan(3)
    const errors = outcome.out.match(/^error in line (\d+) \((\d+)\)/gm) ?? []
    expect(errors).toHaveLength(outcome.asked.length)
    expect(outcome.out).toContain("error in line 40001 (39999): no")
    expect(outcome.code).toBe(1)
    expect(outcome.err).toContain(`${outcome.asked.length} of 40000 rows were not imported.\n`)
    expect(outcome.err).toMatch(/^\d0 % {2}\d+ rows/)
  })

  it("names the line of the file, of rows with line breaks and below blank lines too", async () => {
    const records = Array.from({ length: 20_000 }, (_, at) => `${at},"Gr\neen",true,LPA:1$x$${at}\n`)
    const text = `\n\n${header}${records.join("\n")}`
    const lineOf = (iccid: string): number => text.slice(0, text.indexOf(`\n${iccid},`) + 1).split("\n").length
    const outcome = await importFile(text, ({ body }) => {
      const iccid = [...body.matchAll(/^(\d+),"/gm)].at(-1)?.[1] ?? ""
      const line = body.slice(0, body.indexOf(`\n${iccid},`) + 1).split("\n").length
      const errors = [{ row: 1, line, iccid, message: "no" }]
      return { body: { error: false, data: { ...nothing, errors, error_count: 1 } } }
    })
    expect(outcome.asked.length).toBeGreaterThan(2)
    for (const { body } of outcome.asked) expect(body.startsWith(`\n\n${header}`)).toBe(true)
    const printed = [...outcome.out.matchAll(/^error in line (\d+) \((\d+)\)/gm)]
    expect(printed).toHaveLength(outcome.asked.length)
    for (const [, line, iccid = ""] of printed) expect([iccid, Number(line)]).toEqual([iccid, lineOf(iccid)])
  })

  it("names the line of the file where a piece is no CSV, or a quote is never closed", async () => {
    const rows = "1,Green,true,a\n".repeat(40_000)
    let pieces = 0
    let sent = 0
    const refused = await importFile(`${header}${rows}`, (asked) => {
      pieces += 1
      if (pieces === 1) {
        sent = asked.body.split("\n").length - 2
        return takeAll(asked)
      }
      const message = "body must be CSV: in the row of line 7: Invalid Closing Quote"
      return { status: 400, body: { error: true, message, code: "malformed_csv" } }
    })
    expect(refused.err).toContain(
      `in the row of line ${sent + 7}: Invalid Closing Quote. The first ${sent} rows are in;`
    )
    const open = await importFile(`${header}1,Green,true,a\n2,"Green,true\n${rows.repeat(15)}`, takeAll)
    expect(open.err).toContain("Line 3 of sims.csv or one after it has a quote that is never closed.")
  })

  it("counts the errors that the server does not list", async () => {
    const wrong = [{ row: 1, line: null, iccid: "1", message: "no" }]
    const outcome = await importFile(`${header}1,Green,true,a\n`, () => ({
      body: { error: false, data: { ...nothing, errors: wrong, error_count: 5, warnings: [], warning_count: 3 } }
    }))
    expect(outcome.out).toBe(
      "imported    0\nupdated     0\nduplicates  0\nerrors      5\nwarnings    3\n" +
        "error in row 1 (1): no\nand 4 more errors\nand 3 more warnings (--json prints them)\n"
    )
    expect(outcome.err).toContain("5 of 5 rows were not imported.")
  })

  it("prints both values of rows that differ from SIMs that are there, and ends with code 1", async () => {
    const lpa = { stored: { label: "Green", lpa: "LPA:1$a$1" }, given: { label: "Blue", lpa: "LPA:1$a$2" } }
    const kind = { stored: { is_esim: true }, given: { is_esim: false } }
    const differing = [
      { row: 1, line: 2, iccid: "1", ...lpa },
      { row: 2, line: 3, iccid: "2", ...kind }
    ]
    const outcome = await importFile(`${header}1,Blue,true,LPA:1$a$2\n2,Green,false,\n`, () => ({
      body: { error: false, data: { ...nothing, duplicates: 3, differing, differing_count: 3 } }
    }))
    expect(outcome.out).toBe(
      "imported    0\nupdated     0\nduplicates  3\ndiffering   3\nerrors      0\nwarnings    0\n" +
        "difference in line 2 (1): label is Green and stays, the row has Blue; " +
        "lpa is LPA:1$a$1 and stays, the row has LPA:1$a$2\n" +
        "difference in line 3 (2): is_esim is true and stays, the row has false\n" +
        "and 1 more rows that differ\n"
    )
    expect(outcome.err).toContain("3 rows differ from SIMs that are there already, which stay as they are")
    expect(outcome.code).toBe(1)
  })

  it("prints an error on one line, whatever the file has in place of an ICCID", async () => {
    const wrong = [{ row: 1, line: 2, iccid: "4\n\u001b[2J", message: "no" }]
    const outcome = await importFile(`${header}1,Green,true,a\n`, () => ({
      body: { error: false, data: { ...nothing, errors: wrong, error_count: 1 } }
    }))
    expect(outcome.out).toContain("\nerror in line 2 (4 [2J): no\n")
  })

  it("draws a bar on a terminal, and removes it", async () => {
    const outcome = await importFile(`${header}1,Green,true,a\n`, takeAll, true)
    expect(outcome.err).toContain("[####################")
    expect(outcome.err).toContain("100 %  1 rows, 1 imported, 0 errors")
    expect(outcome.err.endsWith("\r\u001b[K")).toBe(true)
  })

  it("reports how many rows are in if the server fails", async () => {
    let pieces = 0
    const outcome = await importFile(`${header}${"1,Green,true,a\n".repeat(40_000)}`, (asked) => {
      pieces += 1
      return pieces === 1 ? takeAll(asked) : { status: 503, body: { error: true, message: "Gone", code: "not_ready" } }
    })
    expect(outcome.code).toBe(1)
    expect(outcome.err).toMatch(/The server refuses \(503 not_ready\): Gone\. The first \d+ rows are in; .+\.\n$/)
  })

  it("reports how many of the rows before a failure have errors, which the same command lists again", async () => {
    const malformed = { error: true, message: "body must be CSV: Quote Not Closed", code: "malformed_csv" }
    const errors = [{ row: 1, line: 2, iccid: "1", message: "no" }]
    const outcome = await importFile(`${header}1,Green,true,a\n"2`, ({ body }) =>
      body.includes('"')
        ? { status: 400, body: malformed }
        : { body: { error: false, data: { ...nothing, errors, error_count: 1 } } }
    )
    expect(outcome.err).toContain("The first 1 rows are in, but for 1 with errors; the same command")
  })

  const bad: ReadonlyArray<readonly [args: string, sentence: string]> = [
    ["none.csv", 'FILE is "none.csv", but there is no such file.\n'],
    ["folder", 'FILE is "folder", but that is not a file.\n'],
    ["empty.csv", "empty.csv has no rows: it needs a line `iccid,label,is_esim,lpa` and a line for each SIM.\n"]
  ]

  it("reports in one sentence that a file has a header and no rows", async () => {
    const outcome = await importFile(header, () => ({ body: { error: false, data: nothing } }))
    expect(outcome).toMatchObject({ code: 2, out: "" })
    expect(outcome.err).toContain(
      "sims.csv has no rows: it needs a line `iccid,label,is_esim,lpa` and a line for each SIM.\n"
    )
  })

  for (const [file, sentence] of bad) {
    it(`reports in one sentence that ${file} cannot be imported`, async () => {
      mkdirSync("folder")
      writeFileSync("empty.csv", "")
      const args = ["sims", "import", file, "--org", "o", "--url", "http://127.0.0.1:9", "--token", "t"]
      expect(await simplan(args)).toEqual({ code: 2, out: "", err: sentence })
    })
  }
})

describe("the pieces of a CSV", () => {
  const cell = fc.oneof(
    fc.stringMatching(/^[a-z0-9 ]{0,8}$/),
    fc
      .string({ maxLength: 8, unit: fc.constantFrom('"', "\n", ",", "a", "\r") })
      .map((text) => `"${text.replaceAll('"', '""')}"`)
  )
  const row = fc.array(cell, { minLength: 2, maxLength: 4 }).map((cells) => `${cells.join(",")}\n`)

  it("are all the records, each whole, for any chunks", () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 9 })),
        fc.boolean(),
        (rows, cuts, ends) => {
          const text = header + rows.join("")
          const whole = ends ? text : text.replace(/\n$/, "")
          const pieces: Array<CsvFile.Piece> = []
          let rest = CsvFile.start
          let from = 0
          for (const cut of [...cuts, whole.length]) {
            const [next, piece] = CsvFile.take(rest, whole.slice(from, from + cut))
            rest = next
            from += cut
            if (piece !== null) pieces.push(piece)
          }
          const last = CsvFile.finish(rest)
          if (last !== null) pieces.push(last)
          for (const piece of pieces) expect(piece.text.startsWith(header)).toBe(true)
          const bodies = pieces.map((piece) => piece.text.slice(header.length))
          // The first line below the header of a piece, as a line of the whole.
          const lines = pieces.map((piece) => 2 + piece.linesAbove)
          let above = header
          for (const [at, body] of bodies.entries()) {
            expect(lines[at]).toBe(above.split("\n").length)
            above += body
          }
          // What is left out is blank rows, of commas too, below the last row with a value.
          const withoutLastBlanks = (records: string): string => records.replace(/(?<=^|\n)[\s,]*$/, "").trimEnd()
          expect(withoutLastBlanks(bodies.join(""))).toBe(withoutLastBlanks(rows.join("")))
          for (const body of bodies) expect((body.match(/"/g) ?? []).length % 2).toBe(0)
        }
      ),
      { examples: [[[",\n"], [], false]] }
    )
  })
})

describe("the bar", () => {
  it("is never wider than the terminal", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 2, noNaN: true }),
        fc.string({ maxLength: 50 }),
        fc.nat(200),
        (share, text, columns) => {
          expect(Progress.bar(share, text, columns).length).toBeLessThanOrEqual(Math.max(columns - 1, 0))
        }
      )
    )
  })
})

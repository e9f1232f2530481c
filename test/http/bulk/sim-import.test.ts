/**
 * Rows of a SIM import, from JSON or CSV (rule I1): values of any type become a row, and no row
 * throws. Large imports need little memory, and leave time for other requests.
 */
import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import * as fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import * as FileLines from "../../../adapters/http/handlers/FileLines.ts"
import * as ImportsHandlers from "../../../adapters/http/handlers/ImportsHandlers.ts"
import * as RowFiles from "../../../adapters/http/handlers/RowFiles.ts"
import { JsonElements } from "../../../adapters/fields/index.ts"
import * as Heap from "../../setup/Heap.ts"
import * as World from "../World.ts"

/** How many rows an import has. */
const countOf = (request: Request, most?: number) =>
  RowFiles.read(HttpServerRequest.fromWeb(request), ImportsHandlers.form, most).pipe(
    Effect.map(({ rows }) => rows),
    Stream.unwrap,
    Stream.runCount
  )

const record = { iccid: "8944500102198304826", label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$CODE" }

describe("A row", () => {
  it("says in several ways whether it is an eSIM", () => {
    for (const yes of [true, "true", " True ", "1", 1, "yes"]) {
      expect(ImportsHandlers.toRow({ ...record, is_esim: yes })).toMatchObject({ isEsim: true })
    }
    for (const no of [false, "false", "FALSE", "0", 0, "no"]) {
      expect(ImportsHandlers.toRow({ ...record, is_esim: no })).toMatchObject({ isEsim: false })
    }
  })

  it("cannot be read with another is_esim, of whatever type", () => {
    const odd = [undefined, null, "", "maybe", "2", 2, {}, [], ["true"], { toString: 1 }, Object.create(null)]
    for (const is_esim of odd) {
      expect(ImportsHandlers.toRow({ ...record, is_esim })).toMatchObject({ problem: "is_esim must be true or false" })
    }
  })

  it("cannot be read with an lpa that is no text", () => {
    for (const lpa of [1, {}, ["LPA:1$a$b"], true]) {
      expect(ImportsHandlers.toRow({ ...record, lpa })).toMatchObject({ problem: "lpa must be a string" })
    }
    for (const lpa of [null, undefined]) expect(ImportsHandlers.toRow({ ...record, lpa })).toMatchObject({ lpa: null })
  })

  it("has an empty iccid and label where they are absent, and is unreadable where the iccid is no text", () => {
    for (const none of [undefined, null]) {
      expect(ImportsHandlers.toRow({ ...record, iccid: none, label: none })).toMatchObject({ iccid: "", label: "" })
    }
    for (const other of [8944500102198304, true, {}, ["Green"]]) {
      expect(ImportsHandlers.toRow({ ...record, iccid: other, label: other })).toEqual({
        ...{ iccid: null, label: "" },
        problem: "iccid must be text"
      })
    }
    for (const other of [null, 5, "x", [], undefined]) expect(ImportsHandlers.toRow(other)).toMatchObject({ iccid: "" })
  })
})

describe("The elements of a large array", () => {
  const elements = (json: string, size: number): ReadonlyArray<unknown> => {
    const reader = JsonElements.make({ field: "sims", longest: 200 })
    const found: Array<JsonElements.Element> = []
    for (let at = 0; at < json.length; at += size) found.push(...reader.take(json.slice(at, at + size)))
    reader.end()
    return found.map(({ value }) => value)
  }
  const refused = (json: string) => {
    // What is too long is found at the end of a piece.
    for (const size of json.length > 200 ? [7] : [7, 1_000]) {
      expect(() => elements(json, size)).toThrow(JsonElements.Malformed)
    }
  }

  it("are those of the whole, in pieces of any size", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom("a", "simsalabim", '"sims": ['), fc.jsonValue({ maxDepth: 1 })),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        fc.boolean(),
        (sims, others, size, indent, isLast) => {
          const json = JSON.stringify(isLast ? { ...others, sims } : { sims, ...others }, null, indent)
          const long = [JSON.stringify(others), ...sims.map((one) => JSON.stringify(one, null, indent))]
          fc.pre(long.every((text) => text.length < 60))
          expect(elements(json, size)).toEqual(JSON.parse(json).sims)
        }
      ),
      { numRuns: 50 }
    )
  })

  it.each([
    [
      "",
      "{",
      "[]",
      "5",
      '{"sims":[1',
      '{"sims":[1,]}',
      '{"sims":[,1]}',
      '{"sims":[1 2]}',
      '{"sims":[1}',
      '{"sims":[1]'
    ],
    ['{"sims":[1]]', '{"sims":[1]}}', '{"sims":[1]} x', '{"sims":5}', '{"sims":{"sims":[1]}}', 'x{"sims":[1]}'],
    ['{"sims":[1],"sims":[2]}', '{"other":[1]}', '["sims":[1]]', `{"sims":["${"x".repeat(300)}"]}`],
    [`{"x":"${"x".repeat(300)}","sims":[1]}`, `{"sims":[1],"x":"${"x".repeat(300)}"}`, '{"sims":[[1]}']
  ])("are refused where the whole is malformed or a part is too long", (...texts) => {
    for (const json of texts) refused(json)
  })
})

describe("The line of a row", () => {
  const HEADER = "iccid,label,is_esim,lpa"

  /** The lines of the rows of a body, which comes in chunks of some bytes. */
  const linesOf = async (type: string, body: string, size = 7): Promise<ReadonlyArray<number | null>> => {
    const bytes = new TextEncoder().encode(body)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size)
    )
    const stream = new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      }
    })
    const request = new Request("http://localhost", {
      method: "POST",
      body: stream,
      headers: { "content-type": type },
      duplex: "half"
    } as RequestInit)
    const { lines, rows } = await Effect.runPromise(
      RowFiles.read(HttpServerRequest.fromWeb(request), ImportsHandlers.form)
    )
    const count = await Effect.runPromise(Stream.runCount(rows))
    return Array.from({ length: count }, (_, at) => lines.of(at + 1))
  }

  it.each([
    ["the header has one", `${HEADER}\nx,y,1\nx,y,1\n`, [2, 3]],
    ["the header has two", `iccid,label,is_esim,"a\nb"\nx,y,1\n`, [3]],
    ["lines are blank", `\n\n${HEADER}\n\n  \nx,y,1\n\nx,y,1`, [6, 8]],
    ["lines end with CR and LF", `${HEADER}\r\nx,y,1\r\n\r\nx,y,1\r\n`, [2, 4]],
    ["there are line breaks in quotes", `${HEADER}\nx,"a\n\nb",1\n"x\n",y,1\nx,y,1\n`, [2, 5, 7]],
    ["there are other letters and a mark of order", `\ufeff${HEADER}\nü,"é\n😀",1\nx,y,1\n`, [2, 4]],
    ["lines end as on old Macs", `${HEADER}\rx,y,1\rx,y,1\r`, [2, 3]]
  ])("of a CSV is right where %s", async (_, body, lines) => {
    for (const size of [1, 7, 100_000]) expect(await linesOf("text/csv", body, size)).toEqual(lines)
  })

  it("of a CSV is right for any rows", async () => {
    const cell = fc.constantFrom("a", '"a"', '"a\nb"', '"\n"', '"a ""\n"" b"', "ü")
    const row = fc.record({ blank: fc.nat(2), cells: fc.array(cell, { minLength: 3, maxLength: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), async (rows, end) => {
        let body = HEADER + end
        const lines = rows.map(({ blank, cells }) => {
          body += end.repeat(blank)
          const line = body.split("\n").length
          body += cells.join(",") + end
          return line
        })
        expect(await linesOf("text/csv", body)).toEqual(lines)
      }),
      { numRuns: 50 }
    )
  })

  it("of JSON is right, be the body small or large", async () => {
    const sims = Array.from({ length: 20_000 }, (_, at) => ({ iccid: `row ${at}`, label: "x".repeat(100) }))
    for (const some of [sims.slice(0, 3), sims]) {
      const pretty = JSON.stringify({ note: "a\nb", sims: some }, null, 2)
      expect(await linesOf("application/json", pretty, 65_536)).toEqual(some.map((_, at) => 4 + at * 4))
      const byLines = `{"sims":[\n${some.map((one) => JSON.stringify(one)).join("\n,\n")}\n]}`
      expect(await linesOf("application/json", byLines, 65_536)).toEqual(some.map((_, at) => 2 + at * 2))
      expect(new Set(await linesOf("application/json", JSON.stringify({ sims: some }), 65_536))).toEqual(new Set([1]))
    }
    expect(await linesOf("application/json", '{"\\u0073ims":[1]}')).toEqual([null])
  })

  it("is in the errors, the warnings, and the refusal of what is no CSV", async () => {
    const world = await World.forTest()
    const { organizationId } = await World.tenant(world)
    const send = async (raw: string) =>
      world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, {
        raw,
        headers: { "content-type": "text/csv", authorization: `Bearer ${World.ADMIN_TOKEN}` }
      })
    const good = `${World.iccid(1)},Green,true,`
    const { data } = (await send(`${HEADER}\n\n12,Green,true,\n"34","Gr\neen",true,\n${good}\n`)).body
    const places = (messages: ReadonlyArray<{ readonly row: number; readonly line: number }>) =>
      messages.map(({ line, row }) => [row, line])
    expect([places(data.errors), places(data.warnings)]).toEqual([
      [
        [1, 3],
        [2, 4]
      ],
      [[3, 6]]
    ])
    for (const [rest, reason] of [
      ['"a\nb",y,1\n\nx,"y"z,1\nx,y,1\n', 'Invalid Closing Quote: got "z" instead'],
      ['"a\nb",y,1\n\nx,"y\nz,1\nx,y,1\n', "Quote Not Closed"],
      [`"a\nb",y,1\n\nx,y\n${"x".repeat(70_000)}\n`, "it is longer than 65536 bytes"],
      [`"a\nb",y,1\n\nx,y,1\n${",".repeat(100)}\n`, "it has more than 100 columns"]
    ] as const) {
      const { body } = await send(`${HEADER}\n${rest}`)
      const line = reason.startsWith("it ") ? 6 : 5
      expect([body.code, body.message]).toEqual([
        "malformed_csv",
        expect.stringContaining(`body must be CSV: in the row of line ${line}: ${reason}`)
      ])
    }
  })
})

it("is refused at a line of millions of empty values, before the parser has made them", async () => {
  const world = await World.forTest()
  const { organizationId } = await World.tenant(world)
  const send = (raw: string) =>
    world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, {
      raw,
      headers: { "content-type": "text/csv", authorization: `Bearer ${World.ADMIN_TOKEN}` }
    })
  const commas = ",".repeat(1_000_000)
  const header = "iccid,label,is_esim,lpa"
  for (const file of [
    commas,
    `${header}\n${commas}`,
    `${header}\nx,"${commas}`,
    `${header}\n${`${commas.slice(0, 60)}"\n"`.repeat(5_000)}`
  ]) {
    const { body, status } = await send(file)
    expect([status, body.code]).toEqual([400, "malformed_csv"])
    expect(body.message).toMatch(/in the row of line [12]: it (has more than 100 columns|is longer than 65536 bytes)$/)
  }
  expect((await send(`${header}\n${World.iccid(1)},Green,true,,${",".repeat(90)}\n`)).body.data.imported).toBe(1)
})

describe("A large import of bad rows", () => {
  const SIZE = 8 * 1_048_576
  const row = `not-an-iccid,Green,true,${"x".repeat(100)}\n`
  const csv = `iccid,label,is_esim,lpa\n${row.repeat(Math.floor(SIZE / row.length))}`
  const object = `{"iccid":"","label":"${"x".repeat(100)}"}`
  const json = `{"sims":[${`${object},`.repeat(Math.floor(SIZE / (object.length + 1)))}${object}]}`

  it.each([
    ["text/csv", csv, Math.floor(SIZE / row.length)],
    ["application/json", json, Math.floor(SIZE / (object.length + 1)) + 1]
  ])("of %s lists the first errors, and needs little memory", async (type, body, rows) => {
    const world = await World.forTest()
    const { organizationId } = await World.tenant(world)
    const before = Heap.inUse()
    let most = before
    // A collection may take long, and leaves most of the time to the import.
    const measure = () => {
      const began = performance.now()
      most = Math.max(most, Heap.inUse())
      watch = setTimeout(measure, 100 + 4 * (performance.now() - began))
    }
    let watch = setTimeout(measure, 100)
    const answer = await world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, {
      raw: body,
      headers: { "content-type": type, authorization: `Bearer ${World.ADMIN_TOKEN}` }
    })
    clearTimeout(watch)
    expect(answer.status).toBe(200)
    const { error_count, errors, imported, warning_count } = answer.body.data
    expect([imported, error_count, errors.length, warning_count]).toEqual([0, rows, 1_000, 0])
    expect(errors.at(-1)).toMatchObject({ row: 1_000 })
    expect((most - before) / 1_048_576).toBeLessThan(50)
  })

  it.each([
    ["text/csv", csv],
    ["application/json", json]
  ])("of %s lets other requests go first after each 16 KiB, however large its chunks are", async (type, body) => {
    const chunk = body.slice(0, 2 * 1_048_576)
    const request = new Request("http://localhost", { method: "POST", body: chunk, headers: { "content-type": type } })
    let turns = 0
    const turn = () => {
      turns += 1
      waiting = setImmediate(turn)
    }
    let waiting = setImmediate(turn)
    const rows = await Effect.runPromise(
      countOf(request).pipe(
        // The part of a JSON object ends as malformed.
        Effect.orElseSucceed(() => 0)
      )
    )
    clearImmediate(waiting)
    expect(rows).toBe(type === "text/csv" ? chunk.split("\n").length - 1 : 0)
    expect(turns).toBeGreaterThanOrEqual(chunk.length / 16_384 - 1)
  })

  it("lets other requests go first after each 256 rows, and makes no error for a row of another length", async () => {
    const short = 20_000
    const body = `iccid,label,is_esim,lpa\n${"a\n".repeat(short)}`
    const request = new Request("http://localhost", { method: "POST", body, headers: { "content-type": "text/csv" } })
    const errors = vi.spyOn(Error, "captureStackTrace")
    let turns = 0
    const turn = () => {
      turns += 1
      waiting = setImmediate(turn)
    }
    let waiting = setImmediate(turn)
    try {
      const rows = await Effect.runPromise(countOf(request))
      expect(rows).toBe(short)
      expect(turns).toBeGreaterThanOrEqual(short / 256)
      expect(errors.mock.calls.length).toBeLessThan(100)
    } finally {
      clearImmediate(waiting)
      errors.mockRestore()
    }
  })

  it("keeps the lines of so many rows only, where a line is left out before each", () => {
    const lines = FileLines.make()
    for (let row = 1; row <= 300_000; row++) lines.add(2 * row)
    expect([1, 1_000, 99_999].map(lines.of)).toEqual([2, 2_000, 199_998])
    expect([150_000, 300_000].map(lines.of)).toEqual([null, null])
  })

  it.each([
    ["text/csv", "iccid,label,is_esim\n", "a\n", ""],
    ["application/json", '{"sims":[0', ",0", "]}"],
    ["application/json", '{"sims":[0', `${" ".repeat(1_000)},0`, "]}"]
  ])("of %s has so many rows at most", async (type, begin, row, end) => {
    const result = (rows: number) => {
      const body = begin + row.repeat(type === "text/csv" ? rows : rows - 1) + end
      const request = new Request("http://localhost", { method: "POST", body, headers: { "content-type": type } })
      return countOf(request, 2_000).pipe(
        Effect.catch((problem) => Effect.succeed(problem)),
        Effect.runPromise
      )
    }
    expect(await result(2_000)).toBe(2_000)
    expect(await result(2_001)).toMatchObject({ code: "body_too_large", message: "body must have at most 2000 rows" })
  })

  it("is not parsed as a whole where it is small and has many values", async () => {
    const sims = Array.from({ length: 60_000 }, () => 0)
    const request = new Request("http://localhost", {
      method: "POST",
      body: JSON.stringify({ sims }),
      headers: { "content-type": "application/json" }
    })
    const parse = vi.spyOn(JSON, "parse")
    try {
      const rows = await Effect.runPromise(countOf(request))
      expect(rows).toBe(60_000)
      expect(Math.max(...parse.mock.calls.map(([text]) => text.length).slice(0, 1_000))).toBeLessThan(1_000)
    } finally {
      parse.mockRestore()
    }
  })

  it("is refused where it is malformed", async () => {
    const world = await World.forTest()
    const { organizationId } = await World.tenant(world)
    const send = (raw: string | Uint8Array) =>
      world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, {
        raw,
        headers: { "content-type": "application/json", authorization: `Bearer ${World.ADMIN_TOKEN}` }
      })
    const long = json.slice(0, 2 * 1_048_576)
    expect((await send(long)).body).toMatchObject({ code: "malformed_json", message: "body must be valid JSON" })
    expect((await send(`{"a":"${long}`)).body.message).toContain("sims must be an array that begins")
    const bytes = new TextEncoder().encode(`${long}{}]}`)
    bytes[bytes.length - 10] = 0xff
    expect((await send(bytes)).body).toMatchObject({ code: "malformed_body", message: "body must be UTF-8" })
  })
})

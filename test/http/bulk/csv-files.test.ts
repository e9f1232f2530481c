/**
 * CSV files as programs of all kinds write them (rules I7 and I9): in UTF-8 or UTF-16, with any end
 * of a line, and with rows that have no values. The API, the command line and the console read them
 * by `CsvText`.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as CsvText from "../../../adapters/fields/CsvText.ts"
import * as World from "../World.ts"

const world = await World.forFile()

type Encoding = "utf-8" | "utf-8 with a mark" | "utf-16le" | "utf-16be"

const encodings: ReadonlyArray<Encoding> = ["utf-8", "utf-8 with a mark", "utf-16le", "utf-16be"]

const encoded = (text: string, encoding: Encoding): Uint8Array => {
  if (encoding === "utf-8") return Buffer.from(text)
  if (encoding === "utf-8 with a mark") return Buffer.from(`\uFEFF${text}`)
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return encoding === "utf-16le" ? bytes : bytes.swap16()
}

const ends = ["\n", "\r\n", "\r"] as const

const upload = async (raw: Uint8Array) => {
  const { organizationId } = await World.tenant(world)
  const headers = { "content-type": "text/csv", authorization: `Bearer ${World.ADMIN_TOKEN}` }
  return world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, { raw, headers })
}

let serial = 1

const rows = (count: number, end: string): string =>
  Array.from({ length: count }, () => `${World.iccid(serial++)},Green,true${end}`).join("")

describe("A file", () => {
  it("has one text, whatever its encoding, the ends of its lines and its pieces", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", ",", '"', " ", "é", "€", "😀") }), { maxLength: 6 })
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom(...ends),
        fc.constantFrom(...encodings),
        fc.integer({ min: 1, max: 9 }),
        (of, end, encoding, size) => {
          const bytes = encoded(of.join(end), encoding)
          const { end: finish, take } = CsvText.reader()
          const parts: Array<Uint8Array> = []
          for (let at = 0; at < bytes.length; at += size) parts.push(take(bytes.slice(at, at + size)))
          parts.push(finish())
          expect(Buffer.concat(parts).toString()).toBe(of.join("\n"))
          expect(CsvText.text(bytes)).toBe(of.join("\n"))
        }
      )
    )
  })

  it.each(ends.flatMap((end) => encodings.map((encoding) => [JSON.stringify(end), encoding, end] as const)))(
    "whose lines end with %s is imported in %s",
    async (_, encoding, end) => {
      const file = `iccid,label,is_esim${end}${rows(49, end)}`
      const { body, status } = await upload(encoded(file, encoding))
      expect([status, body.data]).toMatchObject([200, { imported: 49, error_count: 0 }])
    }
  )

  it.each(ends)("may have rows without values, and errors name the lines of others: %j", async (end) => {
    const file = [
      ",,,",
      "iccid,label,is_esim,lpa",
      `${World.iccid(serial++)},Green,true,`,
      ",,,",
      ' , ,"",',
      "12,Green,true,",
      ",,,",
      ",,,"
    ]
    const { body } = await upload(Buffer.from(file.join(end)))
    expect(body.data).toMatchObject({ imported: 1, error_count: 1, errors: [{ row: 2, line: 6, iccid: "12" }] })
  })

  it.each(["iccid,label,is_esim,,", "iccid,,label,is_esim,,", ",iccid, ,label,is_esim"])(
    "may have columns without a name, as spreadsheets write them: %j",
    async (header) => {
      const values = [World.iccid(serial++), "Green", "true"]
      const row = header.replaceAll(/\w+/g, () => values.shift() ?? "")
      expect((await upload(Buffer.from(`${header}\n${row}\n`))).body.data).toMatchObject({
        imported: 1,
        error_count: 0
      })
    }
  )

  it("has each column once that has a name", async () => {
    const { body, status } = await upload(Buffer.from(`iccid,label,is_esim,,Label,\n${World.iccid(1)},Green,true,,,\n`))
    expect([status, body.message]).toEqual([400, "body must have each column once"])
  })

  it("has an activation code as SGP.22 writes it, and padded ICCIDs", async () => {
    const file = "iccid,label,is_esim,lpa\n898520302104026905FF,Green,true,1$smdp.example.com$ABC\n"
    const tenant = await World.tenant(world)
    const headers = { "content-type": "text/csv", authorization: `Bearer ${World.ADMIN_TOKEN}` }
    const path = `/admin/v1/organizations/${tenant.organizationId}/sims`
    expect((await world.fetch("POST", path, { raw: file, headers })).body.data.imported).toBe(1)
    expect((await tenant.get("/v3/sims/898520302104026905")).body.data).toMatchObject({
      iccid: "898520302104026905",
      lpa: "LPA:1$smdp.example.com$ABC"
    })
  })

  it("of JSON names an ICCID by text", async () => {
    const { organizationId } = await World.tenant(world)
    const raw = '{"sims":[{"iccid":8988000000000002100,"label":"Green","is_esim":true}]}'
    const headers = { "content-type": "application/json", authorization: `Bearer ${World.ADMIN_TOKEN}` }
    const { body } = await world.fetch("POST", `/admin/v1/organizations/${organizationId}/sims`, { raw, headers })
    expect(body.data.errors).toMatchObject([{ row: 1, message: "iccid must be text" }])
  })
})

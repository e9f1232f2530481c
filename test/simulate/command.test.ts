/**
 * The command `simplan simulate`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { inNewDirectory, simplan } from "../cli/Terminal.ts"

const examples = fileURLToPath(new URL("../../examples/simulate/", import.meta.url))
const example = `${examples}rule-7-start-ahead.json`

inNewDirectory()

describe("simplan simulate", () => {
  it("prints the table of events with their rules", async () => {
    const { code, err, out } = await simplan(["simulate", example])
    expect([code, err]).toEqual([0, ""])
    const rows = out.trimEnd().split("\n")
    expect(rows[0]).toMatch(/^Rule 7: /)
    expect(rows[3]).toMatch(/^instant \(UTC\) {5}what happens +by which rule$/)
    expect(rows[4]).toMatch(
      /^2026-03-02 08:00 {2}subscription from 2026-03-04 20:00: .+ {2}rule 7: start more than 12 hours/
    )
    expect(rows[6]).toMatch(
      /^2026-03-04 08:00 {2}package 1 of 7 created: active from 2026-03-04 20:00 to 2026-03-05 20:00/
    )
    expect(rows.at(-1)).toMatch(/^2026-03-11 20:00 {2}the attachment is EXPIRED/)
  })

  it("prints JSON, the same each time", async () => {
    const { out } = await simplan(["simulate", example, "--json"])
    const { attachments, events, start } = JSON.parse(out)
    expect(start).toBe("2026-03-02T08:00:00.000Z")
    expect(attachments[0].packages[0]).toMatchObject({
      occurrence: 0,
      status: "Created",
      created_at: "2026-03-04T08:00:00.000Z",
      activation_at: "2026-03-04T20:00:00.000Z",
      expiration_at: "2026-03-05T20:00:00.000Z"
    })
    expect(attachments[0].states.map(({ state }: { readonly state: string }) => state)).toEqual([
      "CREATED",
      "ACTIVE",
      "EXPIRED"
    ])
    expect(events[0].rules[0].name).toBe("rule 7")
    expect((await simplan(["simulate", example, "--json"])).out).toBe(out)
  })

  it("writes the drawing and the page, and says so on stderr", async () => {
    const { code, err } = await simplan(["simulate", example, "--svg", "timeline.svg", "--html", "timeline.html"])
    expect([code, err]).toEqual([0, "wrote timeline.svg\nwrote timeline.html\n"])
    expect(readFileSync("timeline.svg", "utf8")).toBe(readFileSync(example.replace(/json$/, "svg"), "utf8"))
    const page = readFileSync("timeline.html", "utf8")
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).not.toMatch(/(?:src|href)=|@import|url\(/)
  })
})

describe("one sentence reports", () => {
  it("each mistake of the scenario, with its line", async () => {
    writeFileSync(
      "bad.json",
      '{\n  "title": "x",\n  "plan": { "data_MBs": 1, "period_days": "7" },\n  "seed": 0.5\n}\n'
    )
    expect(await simplan(["simulate", "bad.json"])).toEqual({
      code: 2,
      out: "",
      err: [
        'bad.json, line 3: plan.period_days is "7", but must be a number.',
        "bad.json, line 4: seed is 0.5, but must be a whole number from 0 to 4294967295.\n"
      ].join("\n")
    })
  })

  it("a mistake that is found only during the play", async () => {
    writeFileSync("bad.json", '{\n  "title": "x",\n  "plan": {\n    "data_MBs": 1,\n    "period_days": 0\n  }\n}\n')
    expect(await simplan(["simulate", "bad.json"])).toEqual({
      code: 2,
      out: "",
      err: "bad.json, line 5: plan.period_days is 0, but must be an integer from 1 to 3660.\n"
    })
  })

  it("that a file cannot be read or written", async () => {
    expect(await simplan(["simulate", "none.json"])).toEqual({
      code: 1,
      out: "",
      err: "none.json cannot be read (NotFound).\n"
    })
    const outcome = await simplan(["simulate", example, "--svg", "none/timeline.svg"])
    expect(outcome).toMatchObject({ code: 1, err: "none/timeline.svg cannot be written (NotFound).\n" })
  })

  it("that no scenario was named", async () => {
    expect(await simplan(["simulate"])).toEqual({
      code: 2,
      out: "",
      err: "SCENARIO.json is missing (see `simplan simulate --help`).\n"
    })
  })
})

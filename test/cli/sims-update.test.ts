/**
 * `simplan sims update` (rule I9).
 */
import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as FakeServer from "./FakeServer.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()
const serve = FakeServer.forEachTest()

const sim = {
  iccid: "8910300000000000017",
  label: "Blue",
  lpa: null,
  used: false,
  esim_id: "e",
  created_at: "2026-01-31T12:00:00.000Z",
  is_esim: true,
  status: "withdrawn",
  withdrawn_reason: "broken",
  tags: ["airport", "VIP"],
  replaces: null,
  replaced_by: null,
  version: 1,
  works: false,
  reason: {
    code: "withdrawn",
    message: "It is withdrawn.",
    next_step: "none",
    at: null,
    plan_attachment_id: null,
    moved_to: null
  }
}

const update = async (...flags: ReadonlyArray<string>) => {
  const server = await serve(() => ({ body: { error: false, data: sim } }))
  const args = ["sims", "update", sim.iccid, ...flags, "--url", server.url, "--key", "k"]
  return { ...(await simplan(args)), asked: server.asked }
}

it("sends what is to change, and prints the SIM", async () => {
  const flags = ["--label", "Blue", "--lpa", "", "--status", "withdrawn", "--reason", "broken"]
  const { asked, code, out } = await update(...flags)
  expect([code, asked]).toMatchObject([0, [{ method: "PATCH", path: `/v3/sims/${sim.iccid}` }]])
  expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
    label: "Blue",
    lpa_string: null,
    status: "withdrawn",
    reason: "broken"
  })
  expect(out).toMatch(/^status +withdrawn$/m)
  expect(JSON.parse((await update("--label", "Blue", "--json")).out)).toEqual(sim)
})

it("sends tags, given one by one or as a list, and none", async () => {
  const sent = async (...flags: ReadonlyArray<string>) => JSON.parse((await update(...flags)).asked[0]?.body ?? "").tags
  expect(await sent("--tag", "VIP", "--tag", "airport")).toEqual(["VIP", "airport"])
  expect(await sent("--tag", "VIP,airport")).toEqual(["VIP", "airport"])
  expect(await sent("--tag", "VIP")).toEqual(["VIP"])
  expect(await sent("--tag", "")).toEqual([])
  expect((await update("--tag", "VIP")).out).toMatch(/^tags +airport, VIP$/m)
})

it("shows what would change, and changes nothing", async () => {
  const server = await serve(() => ({ body: { error: false, data: sim, preview: { changed: ["label", "status"] } } }))
  const args = ["sims", "update", sim.iccid, "--label", "Blue", "--dry-run", "--url", server.url, "--key", "k"]
  expect((await simplan(args)).out).toMatch(/^changed +label, status$/m)
  expect(server.asked).toMatchObject([{ method: "PATCH", path: `/v3/sims/${sim.iccid}?dry_run=true` }])
  expect(JSON.parse((await simplan([...args, "--json"])).out)).toEqual({ ...sim, changed: ["label", "status"] })
})

it("needs something to change, and knows the values", async () => {
  expect(await update()).toMatchObject({ code: 2, asked: [] })
  expect(await update("--status", "sold")).toMatchObject({ code: 2, asked: [] })
})

const updateFile = async (
  content: string,
  answer: (asked: FakeServer.Asked) => FakeServer.Answer,
  ...flags: ReadonlyArray<string>
) => {
  const server = await serve(answer)
  writeFileSync("labels.csv", content)
  const args = ["sims", "update", "labels.csv", ...flags, "--url", server.url, "--key", "k"]
  return { ...(await simplan(args)), asked: server.asked }
}

/** The answer that corrects each row but those of an ICCID that ends with 7. */
const correctAll = ({ body }: FakeServer.Asked): FakeServer.Answer => ({
  body: {
    error: false,
    data: body
      .trim()
      .split("\n")
      .slice(1)
      .map((text, index) => {
        const [iccid = ""] = text.split(",")
        const of = { row: index + 1, line: index + 2, iccid }
        return iccid.endsWith("7")
          ? { ...of, result: "refused", code: "sim_in_use", message: "no" }
          : { ...of, result: index % 2 === 0 ? "corrected" : "unchanged" }
      })
  }
})

it("sends a file, prints what was refused by its line, and ends with code 1", async () => {
  const { asked, code, err, out } = await updateFile("iccid,label\n15,Blue\n16,Blue\n17,Blue\n", correctAll)
  expect(asked).toMatchObject([{ method: "POST", path: "/v3/sims/updates", type: "text/csv" }])
  expect(out).toBe("refused in line 4 (17): no\ncorrected  1\nunchanged  1\nrefused    1\n")
  expect([code, err]).toEqual([1, expect.stringContaining("1 rows were refused.")])
})

it("prints a line of JSON for each row of a large file, with the lines of the file", async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `${index}0,Blue\n`)
  const { asked, code, out } = await updateFile(`iccid,label\n${rows.join("")}`, correctAll, "--json", "--dry-run")
  expect(asked.length).toBeGreaterThan(2)
  for (const { path } of asked) expect(path).toBe("/v3/sims/updates?dry_run=true")
  const results = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(results).toHaveLength(60_000)
  expect(results.at(-1)).toMatchObject({ row: 60_000, line: 60_001, iccid: "599990" })
  expect(code).toBe(0)
})

it("takes an ICCID or a file, and not both", async () => {
  const nothing = () => ({ body: { error: false, data: [] } })
  expect(await updateFile("iccid,label\n1,Blue\n", nothing, "--label", "Blue")).toMatchObject({ code: 2, asked: [] })
  expect((await updateFile("iccid,label\n", nothing)).code).toBe(2)
})

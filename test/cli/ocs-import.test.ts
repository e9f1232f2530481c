import { writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as FakeServer from "./FakeServer.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()
const serve = FakeServer.forEachTest()

const SIMS = 12
let ocs: Fake.Fake
beforeEach(async () => {
  ocs = await Fake.start({ subscribers: SIMS, token: "a-secret-token" })
})
afterEach(() => ocs.close())

const nothing = { imported: 0, updated: 0, duplicates: 0, errors: [], error_count: 0, warnings: [], warning_count: 0 }

const takeAll = ({ body }: FakeServer.Asked): FakeServer.Answer => ({
  body: { error: false, data: { ...nothing, imported: body.trim().split("\n").length - 1 } }
})

/** A system with a secret that the import has no use for, and does not have. */
let answer = takeAll
beforeEach(() => {
  answer = takeAll
})

const systemOf = (name: string) => [
  name,
  {
    kind: "ocs",
    url: ocs.url,
    url_v2: ocs.urlV2,
    token: { env: name === "other" ? "NO_SUCH_TOKEN" : "OCS_TOKEN" },
    reseller_id: 1,
    zones: {},
    notifications: { secret: { env: "NO_SUCH_SECRET" } }
  }
]

const smsc = { kind: "smpp", url: "smpp://user@127.0.0.1:2775", password: { file: "no-such-file" } }

const importFrom = async (names: ReadonlyArray<string>, route: object | null, ...flags: ReadonlyArray<string>) => {
  const server = await serve(answer)
  const telcos = Object.fromEntries([...names.map(systemOf), ["smsc", smsc], ["sandbox", { kind: "simulator" }]])
  writeFileSync(
    "telcos.json",
    JSON.stringify({ telcos, routes: [...(route === null ? [] : [route]), { packages: "sandbox" }] })
  )
  const args = ["sims", "import", "--from-ocs", ...flags, "--org", "o", "--url", server.url, "--token", "t"]
  process.env["OCS_TOKEN"] = "a-secret-token"
  const outcome = await simplan(args, { SIMPLAN_TELCO_FILE: "telcos.json" })
  delete process.env["OCS_TOKEN"]
  expect(outcome.out + outcome.err).not.toContain("a-secret-token")
  return { ...outcome, asked: server.asked }
}

const account = ["--account", "1", "--label", "Green"]

describe("sims import --from-ocs", () => {
  it("imports the SIMs of the account with their activation codes, IMSIs, phone numbers and ids", async () => {
    const outcome = await importFrom(["ocs"], null, ...account)
    expect(outcome.err).toContain(`100 %  ${SIMS} SIMs, ${SIMS} imported, 0 updated, 0 errors`)
    expect(outcome.out).toContain(`imported    ${SIMS}\n`)
    expect(outcome.code).toBe(0)
    const [{ body = "" } = {}] = outcome.asked
    const [header, ...rows] = body.trim().split("\n")
    expect(header).toBe("iccid,label,is_esim,lpa,imsi,msisdn,subscriber_id")
    const [first = expect.fail()] = ocs.books().subscribers
    const row = rows.find((one) => one.startsWith(first.iccid)) ?? ""
    expect(row).toMatch(new RegExp(`^${first.iccid},Green,true,LPA:1\\$[a-z.]+\\$${first.sim.activationCode},`))
    expect(row.endsWith(`,${first.imsi},${first.msisdn},${first.subscriberId}`)).toBe(true)
  })

  it("reports how many SIMs that were there already it has brought up to date", async () => {
    answer = ({ body }) => ({
      body: { error: false, data: { ...nothing, updated: body.trim().split("\n").length - 1 } }
    })
    const outcome = await importFrom(["ocs"], null, ...account)
    expect(outcome.err).toContain(`100 %  ${SIMS} SIMs, 0 imported, ${SIMS} updated, 0 errors`)
    expect(outcome.out).toContain(`updated     ${SIMS}\n`)
    expect(outcome.code).toBe(0)
  })

  it("gives the SIMs the only label that the file has the system for, and asks for one where it has none", async () => {
    const unlabelled = ["--account", "1"]
    const labelled = await importFrom(["ocs"], { label: "Green", packages: "ocs" }, ...unlabelled)
    expect(labelled.code).toBe(0)
    expect(labelled.asked[0]?.body).toMatch(/^\d+,Green,true,/m)
    const outcome = await importFrom(["ocs"], null, ...unlabelled)
    expect(outcome.code).toBe(2)
    expect(outcome.err).toContain("has no label for ocs, so choose one with --label: ")
  })

  it("chooses among several systems by name", async () => {
    const unnamed = await importFrom(["north", "south"], null, ...account)
    expect(unnamed.code).toBe(2)
    expect(unnamed.err).toContain("choose one with --telco: north, south.")
    expect((await importFrom(["north", "south"], null, ...account, "--telco", "south")).code).toBe(0)
    const unknown = await importFrom(["north"], null, ...account, "--telco", "east")
    expect(unknown.err).toContain('--telco is "east"')
    expect(unknown.code).toBe(2)
  })

  it("reads the token of the system that is chosen, and no other secret of the file", async () => {
    expect(await importFrom(["ocs", "other"], null, ...account, "--telco", "ocs")).toMatchObject({ code: 0 })
    const missing = await importFrom(["ocs", "other"], null, ...account, "--telco", "other")
    expect(missing.code).toBe(1)
    expect(missing.err).toContain("telcos.other.token names the environment variable NO_SUCH_TOKEN")
  })

  it("imports all SIMs of an account whose list the system cuts, and none of another account", async () => {
    await ocs.close()
    ocs = await Fake.start({ subscribers: SIMS, token: "a-secret-token", mostListed: 5 })
    const others = ocs.addSubscribers({ accountId: 2, count: SIMS })
    const more = ocs.addSubscribers({ count: SIMS })
    const outcome = await importFrom(["ocs"], null, ...account)
    expect(outcome.out).toContain(`imported    ${2 * SIMS}\n`)
    expect(outcome.code).toBe(0)
    const body = outcome.asked[0]?.body ?? ""
    expect(more.every((iccid) => body.includes(iccid))).toBe(true)
    expect(others.some((iccid) => body.includes(iccid))).toBe(false)
  })

  it("exits with 1 where SIMs of the account are missing, after it has imported the others", async () => {
    await ocs.close()
    ocs = await Fake.start({ subscribers: SIMS, token: "a-secret-token", mostListed: SIMS })
    ocs.addSubscribers({ iccids: ["8933010000000000018"], imsi: "208010000000001", msisdn: "33900000001" })
    const outcome = await importFrom(["ocs"], null, ...account)
    expect(outcome.out).toContain(`imported    ${SIMS}\n`)
    expect(outcome.err).toContain(`Account 1 has ${SIMS + 1} SIMs, of which the system lists ${SIMS}.`)
    expect(outcome.code).toBe(1)
  })

  it("imports the other SIMs where the system returns an odd row, which it names", async () => {
    const [iccid = expect.fail()] = ocs.addSubscribers({ startDate: "in spring" })
    const outcome = await importFrom(["ocs"], null, ...account)
    expect(outcome.out).toContain(`imported    ${SIMS}\n`)
    expect(outcome.out).toContain("errors      1\n")
    expect(outcome.out).toMatch(
      new RegExp(`error in row ${SIMS + 1} \\(${iccid}\\): the system's answer cannot be read: `)
    )
    expect(outcome.err).toContain(`1 of ${SIMS + 1} rows were not imported.`)
    expect(outcome.code).toBe(1)
  })

  it("says what is missing, and what the system refuses", async () => {
    expect((await importFrom(["ocs"], null, "--label", "Green")).err).toContain("--from-ocs needs --account")
    expect((await importFrom(["ocs"], null, "sims.csv", ...account)).err).toContain(
      "Give FILE or --from-ocs, and not both."
    )
    expect((await importFrom([], null, ...account)).err).toContain('names no telco of kind "ocs"')
    const refused = await importFrom(["ocs"], null, "--account", "99", "--label", "Green")
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("ccount 99")
    const alone = await simplan(["sims", "import", "--account", "1", "sims.csv"])
    expect(alone.err).toContain("go with --from-ocs only")
  })
})

/**
 * `simplan subscriptions bulk` and `simplan sims bulk` against a real server (rule W15).
 */
import { createServer } from "node:http"
import { expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as FakeServer from "./FakeServer.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()
const serve = FakeServer.forEachTest()
const world = await World.forFile()
let numbers = 1

const at = (url: string) => ["--url", url, "--token", World.ADMIN_TOKEN]

/** An organization with so many SIMs, of which the first ones are sold. */
const stocked = async (count: number, sold: number) => {
  const first = numbers
  numbers += count
  const { planId, tenant } = await Inventory.stock(world, first, count)
  const iccids = Array.from({ length: count }, (_, offset) => World.iccid(first + offset))
  for (const [index, iccid] of iccids.slice(0, sold).entries()) {
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: `order ${index}`, iccid })
    await world.admin("POST", "/clock/advance", { by: "1 second" })
  }
  const run = (...args: ReadonlyArray<string>) => simplan([...args, "--org", tenant.organizationId, ...at(world.url)])
  const audited = async (action: string) =>
    (await world.admin("GET", `/organizations/${tenant.organizationId}/audit?action=${action}`)).body.data
  return { iccids, planId, tenant, run, audited }
}

const rows = (out: string): ReadonlyArray<Record<string, string>> =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

it("a dry run says how many there are, and nothing is done; then each has a result", async () => {
  const { audited, iccids, run } = await stocked(3, 3)
  const tried = await run("subscriptions", "bulk", "pause", "--search", "order", "--dry-run")
  expect(tried).toMatchObject({ code: 0, err: "" })
  expect(tried.out).toMatch(
    /^matching +3\nchanged +3\nunchanged +0\nrefused +0\nhas_more +false\ncreated_until +\S+Z\n$/
  )
  expect(await audited("subscription.pause")).toEqual([])

  const one = await run("subscriptions", "bulk", "pause", "--search", "order 1", "--audit-reason", "unpaid")
  expect(one).toEqual({ code: 0, out: "changed    1\nunchanged  0\nrefused    0\n", err: "" })
  expect(await audited("subscription.pause")).toMatchObject([{ iccid: iccids[1], reason: "unpaid" }])

  // The same again, and the others, go on where it has ended.
  const all = await run("subscriptions", "bulk", "pause", "--all", "--json")
  expect(rows(all.out).map(({ iccid, result }) => [iccid, result])).toEqual([
    [iccids[0], "changed"],
    [iccids[1], "unchanged"],
    [iccids[2], "changed"]
  ])
  expect((await run("subscriptions", "bulk", "resume", "--status", "paused")).out).toContain("changed    3\n")
})

it("what is refused is named, and ends the command with 1", async () => {
  const { iccids, planId, run } = await stocked(3, 2)
  const sold = iccids.slice(0, 2)
  const tried = await run("sims", "bulk", "withdraw", "--reason", "lost", "--label", "Green", "--dry-run")
  expect([tried.code, tried.err]).toEqual([1, "2 would be refused.\n"])
  for (const iccid of sold) expect(tried.out).toContain(`refused (${iccid}): `)
  const asJson = await run("sims", "bulk", "withdraw", "--reason", "lost", "--all", "--dry-run", "--json")
  expect(JSON.parse(asJson.out)).toMatchObject({
    matching: 3,
    changed: 1,
    refused: 2,
    refusals: [{ iccid: sold[0] }, {}]
  })

  const done = await run("sims", "bulk", "withdraw", "--reason", "lost", "--esim", "true")
  expect([done.code, done.err]).toEqual([1, "2 were refused.\n"])
  expect(done.out).toContain("changed    1\nunchanged  0\nrefused    2\n")
  expect((await run("sims", "bulk", "restore", "--status", "withdrawn")).out).toContain("changed    1\n")
  const labelled = await run("sims", "bulk", "set-label", "--new-label", "Blue", "--status", "free", "--json")
  expect(rows(labelled.out)).toEqual([{ iccid: iccids[2], result: "changed" }])

  const suspended = await run("subscriptions", "bulk", "suspend", "--plan-id", planId)
  expect(suspended.out).toContain("changed    2\n")
  const deleted = await run("subscriptions", "bulk", "delete", "--created-until", new Date(World.START).toISOString())
  expect(deleted.out).toContain("changed    0\n")
})

it("a command has to say which, and its values have to be known", async () => {
  const { run } = await stocked(1, 1)
  const refused: ReadonlyArray<readonly [args: string, message: string]> = [
    ["subscriptions bulk pause", "Say which, such as --label Green, or --all.\n"],
    ["sims bulk withdraw --reason lost", "Say which, such as --label Green, or --all.\n"],
    ["subscriptions bulk pause --label Pink", "--label is"],
    ["sims bulk restore --reason lost --all", "has no flag --reason"],
    ["subscriptions bulk pause --created-after yesterday", "an instant with a zone"]
  ]
  for (const [args, message] of refused) {
    const { code, err } = await run(...args.split(" "))
    expect([args, code, err]).toEqual([args, 2, expect.stringContaining(message)])
  }
  const ofNoPlan = await run("subscriptions", "bulk", "suspend", "--all")
  expect([ofNoPlan.code, ofNoPlan.err]).toEqual([
    1,
    "The server refuses (400 invalid_field): plan_id must say which plan is suspended.\n"
  ])
})

it("one that breaks off says how many are done, and that the same command goes on", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    response.write(
      '{"iccid":"1","result":"changed"}\n{"iccid":"2","result":"changed","code":"sim_busy","message":"Busy"}\n'
    )
    response.write('{"iccid":"3","re', () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  try {
    const { code, err, out } = await simplan(["subscriptions", "bulk", "pause", "--all", "--org", "o", ...at(url)])
    expect([code, out]).toEqual([1, "changed in part (2): Busy\n"])
    expect(err).toBe(`The server at ${url} broke off its answer. 2 are done; the same command again does the others.\n`)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})

it("an answer that is not of this version is said in a sentence", async () => {
  const { url } = await serve(() => ({ body: { error: false, data: [] } }))
  const tried = await simplan(["subscriptions", "bulk", "pause", "--all", "--org", "o", "--dry-run", ...at(url)])
  expect(tried).toEqual({ code: 1, out: "", err: "The server is of a version that previews no bulk actions.\n" })
})

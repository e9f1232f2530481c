/**
 * Bulk actions that are cut, in a real browser: the server breaks off and the page is closed, or
 * the connection is lost. They are found and gone on with from the page, and there is a result for
 * each in the end.
 */
import { Context, Effect, Stream } from "effect"
import { BulkActions, Subscriptions } from "simplan"
import { Storage } from "simplan/ports"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as Inventory from "../../http/Inventory.ts"
import * as World from "../../http/World.ts"
import * as Opened from "../Opened.ts"

const MANY = 1_200
const FREE = 5

/** After how many the first run breaks off: some of them are answered by then. */
const CUT_AFTER = 900

let of = ""
let isCut = true

/** The bulk actions, of which a run breaks off where it is to. */
const cutting = (service: BulkActions.BulkActions["Service"]): BulkActions.BulkActions["Service"] => ({
  ...service,
  run: (request) => {
    const run = service.run(request)
    if (!isCut) return run
    isCut = false
    const broken = new Storage.StorageError({ message: "The server stops" })
    return Stream.concat(Stream.take(run, CUT_AFTER), Stream.fail(broken))
  }
})

const { check, click, expectComplaint, heading, page, region, signIn, signInAs, world } = Opened.forFile(
  {
    telcos: undefined,
    replace: (services) => {
      const service = Context.get(services, BulkActions.BulkActions)
      return Context.add(services, BulkActions.BulkActions, cutting(service))
    }
  },
  async (started) => {
    const { planId, tenant } = await Inventory.stock(started, 1, 1)
    of = tenant.organizationId
    await started.admin("POST", `/organizations/${of}/sims`, { sims: Inventory.esims(2, MANY + FREE) })
    const create = (number: number) =>
      Subscriptions.Subscriptions.use((subscriptions) =>
        subscriptions.create({
          ...{ organizationId: of, planId, metadata: "reseller", activePeriod: null },
          iccid: World.iccid(number)
        })
      )
    const all = Array.from({ length: MANY }, (_, at) => create(2 + at))
    await started.run(Effect.all(all, { concurrency: 50, discard: true }))
  }
)

const dialog = () => page().getByRole("dialog")

const begun = () => region("Begun, and not ended")

/** The results by ICCID, as the file has them. */
const results = async () => {
  const waiting = page().waitForEvent("download")
  await click("Download what came of each")
  const lines = readFileSync(await (await waiting).path(), "utf8")
    .trimEnd()
    .split("\r\n")
    .slice(1)
  return new Map(lines.map((line) => [line.split(",")[0] ?? "", line.split(",")[2] ?? ""]))
}

it("are found after the page was closed, and gone on with by whoever began them", async () => {
  const name = await signInAs("admin", `?page=subscriptions&of=${of}`)
  await click("Pause all that match")
  await dialog().getByText(`${MANY} subscriptions match; ${MANY} would be paused.`).waitFor()
  await dialog().getByLabel("Why, for the audit log").fill("the reseller has not paid")
  await dialog().getByLabel(`Type ${MANY} to go on`).fill(String(MANY))
  await click("Pause all that match", dialog())
  await dialog().getByText("The server broke off.").waitFor()
  expectComplaint(/Failed to load resource|ERR_/)
  await page().reload()

  await begun().getByRole("cell", { name: "Pause all that match" }).waitFor()
  await expect.poll(() => begun().locator("tbody tr").count()).toBe(1)
  const before = Number(await begun().locator("tbody td").nth(3).innerText())
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThanOrEqual(CUT_AFTER)
  await check()
  await click("Go on", begun())
  await dialog().getByText(`${before} subscriptions paused before.`).waitFor()
  await expect.poll(() => dialog().getByLabel("Why, for the audit log").inputValue()).toBe("the reseller has not paid")
  await dialog()
    .getByText(/subscriptions match/)
    .waitFor()
  await dialog().getByLabel(`Type ${MANY} to go on`).fill(String(MANY))
  await click("Go on", dialog())
  await expect.poll(() => page().locator("[data-done]").innerText()).toMatch(/^\d+ subscriptions paused/)
  await expect.poll(() => begun().count()).toBe(0)

  const found = await results()
  expect(found.size).toBe(MANY)
  expect([...found.values()].filter((one) => one === '"changed"').length).toBeGreaterThanOrEqual(before)
  expect(new Set(found.values()).has('"refused"')).toBe(false)
  const { body } = await world().admin("GET", `/organizations/${of}/audit?action=subscription.pause&page_size=1`)
  expect(body.data).toMatchObject([{ actor: name, reason: "the reseller has not paid" }])
  const left = await world().admin("GET", `/organizations/${of}/subscriptions?status=active`)
  expect(left.body.data).toEqual([])
}, 120_000)

it("go on in their dialog once the connection is back, or are forgotten", async () => {
  await signIn(`?page=sims&of=${of}&status=free`)
  await heading("SIMs")
  const cut = "**/sims/actions"
  await page().route(cut, (route) => route.abort())
  await click("Withdraw all that match")
  await dialog()
    .getByText(`${FREE + 1} SIMs match`)
    .waitFor()
  await click("Withdraw all that match", dialog())
  await dialog().getByText("The server gives no answer.").waitFor()
  expectComplaint(/Failed to load resource/)
  await page().unroute(cut)
  await click("Withdraw all that match", dialog())
  await expect.poll(() => page().locator("[data-done]").innerText()).toBe(`${FREE + 1} SIMs withdrawn.`)
  await expect.poll(() => begun().count()).toBe(0)
  expect([...(await results()).values()]).toEqual(Array.from({ length: FREE + 1 }, () => '"changed"'))

  await page().route(cut, (route) => route.abort())
  await page().getByLabel("Status").selectOption("withdrawn")
  await click("Put all that match back into stock")
  await dialog()
    .getByText(`${FREE + 1} SIMs match`)
    .waitFor()
  await click("Put all that match back into stock", dialog())
  await dialog().getByText("The server gives no answer.").waitFor()
  expectComplaint(/Failed to load resource/)
  await click("Cancel", dialog())
  await page().unroute(cut)
  await click("Forget it", begun())
  await dialog().getByText("0 SIMs in stock.").waitFor()
  await click("Forget it", dialog())
  await expect.poll(() => begun().count()).toBe(0)
  await page().reload()
  await heading("SIMs")
  await expect.poll(() => begun().count()).toBe(0)
}, 120_000)

/**
 * What an operator is asked for most often, each by the least role that may do it, and how many clicks it takes from the console's first
 * page, or from a SIM's where the customer is on the line. What is typed, and the Enter behind it, are no clicks.
 */
import { Effect, Layer } from "effect"
import { WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import type { Locator } from "playwright-core"
import { expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

let status = 500
let of = ""

const sold = World.iccid(1)
const broken = World.iccid(2)

const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.sync(() => ({ status })) })

/** A SIM that was never used, an endpoint that fails until the deliveries to it have failed, and a cancellation that is refused. */
const opened = Opened.forFile({ sender, telcos: undefined }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 3)
  of = tenant.organizationId
  const hook = { url: "https://hooks.example/", events: ["subscription.created"] }
  await world.admin("POST", `/organizations/${of}/webhook-endpoints`, hook)
  for (const iccid of [sold, broken]) await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
  const refusal = { fault: "refuse", on: "cancelPackage", message: "no such package" } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults([refusal])))
  await tenant.call("DELETE", `/v3/subscriptions/${broken}`)
  for (const _ of [1, 2, 3, 4]) await world.admin("POST", "/clock/advance", { by: "23 hours" })
})

const { click, clicks, heading, page, region, signInAs, world } = opened

const go = async (target: Locator): Promise<number> => {
  await target.click()
  return 1
}

const read = async (path: string) => (await world().admin("GET", path)).body.data

/** A task does what it is asked for, and gives the clicks that are no buttons. */
const tasks: Readonly<
  Record<string, readonly [role: "read" | "support" | "admin", most: number, act: () => Promise<number>]>
> = {
  "find a SIM, and why it has no service": [
    "read",
    2,
    async () => {
      const clicked = await go(page().getByRole("searchbox"))
      await page().keyboard.type(sold.slice(-6))
      await page().keyboard.press("Enter")
      await heading(`SIM ${sold}`)
      await page().locator("[data-verdict]").getByText("activates at the first use").waitFor()
      return clicked
    }
  ],
  "show a customer the QR code": [
    "support",
    2,
    async () => {
      await page().keyboard.press("/")
      await page().keyboard.type(sold)
      await page().keyboard.press("Enter")
      await click("Show the QR code")
      await page()
        .getByRole("img", { name: `The QR code that installs ${sold}` })
        .waitFor()
      return 0
    }
  ],
  "retry what the telco has refused": [
    "support",
    2,
    async () => {
      await world().run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.clearFaults))
      const problem = region("The oldest problems").locator("tbody tr")
      await problem.getByText("no such package").waitFor()
      await click("Retry", problem)
      await world().admin("POST", "/clock/advance", { by: "1 second" })
      await expect.poll(() => read("/problems")).toEqual([])
      return 0
    }
  ],
  "send the failed deliveries of an endpoint again, by a filter": [
    "support",
    3,
    async () => {
      status = 200
      const clicked = await go(region("Failing endpoints").getByRole("link", { name: "Failed deliveries" }))
      await heading("Deliveries")
      await expect.poll(() => region("Deliveries").locator("tbody tr").count()).toBe(2)
      await click("Replay all that match")
      await page().getByText("2 deliveries would be sent again.").waitFor()
      await click("Replay all that match", page().getByRole("dialog"))
      await page().getByText("2 deliveries are sent again.").waitFor()
      await world().admin("POST", "/clock/advance", { by: "1 second" })
      expect(await read(`/organizations/${of}/deliveries?status=delivered`)).toHaveLength(2)
      return clicked
    }
  ],
  "move a virtual clock by a day": [
    "admin",
    2,
    async () => {
      const before = Date.parse((await read("/clock")).now)
      await click("Advance by a day")
      await expect.poll(async () => Date.parse((await read("/clock")).now)).toBe(before + 86_400_000)
      return 0
    }
  ]
}

it.each(Object.entries(tasks))("%s", async (_, [role, most, act]) => {
  await signInAs(role, "")
  await heading("Overview")
  const clicked = await act()
  expect(clicks() + clicked).toBeGreaterThan(0)
  expect(clicks() + clicked).toBeLessThanOrEqual(most)
  expect(await page().getByRole("alert").allInnerTexts()).toEqual([])
})

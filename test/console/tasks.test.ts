/**
 * What an operator is asked for most often, by each role that may do it, and how many clicks it
 * takes from the console's first page, or from a SIM's where the customer is on the line. What is
 * typed, and the Enter behind it, are no clicks. `many.test.ts` has what is done to 10,000 at once.
 */
import { Effect, Layer } from "effect"
import { Operator, Storage, WebhookSender } from "simplan/ports"
import { Problems } from "simplan"
import { readFileSync } from "node:fs"
import { TelcoSimulator } from "simplan/telco-simulator"
import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

let status = 500

/**
 * What a role has to do: a SIM that was never used, and one whose package is not cancelled, of an
 * organization of its own.
 */
interface Work {
  readonly of: string
  readonly sold: string
  readonly broken: string
}

const works = new Map<Operator.Role, Work>()

const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.sync(() => ({ status })) })

/**
 * For each role a SIM that was never used, an endpoint that fails until the deliveries to it have
 * failed, and a refused cancellation.
 */
const opened = Opened.forFile({ sender, telcos: undefined }, async (world) => {
  const refusal = { fault: "refuse", on: "cancelPackage", message: "no such package" } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults([refusal])))
  for (const [at, role] of Operator.roles.entries()) {
    const first = 1 + at * 10
    const { planId, tenant } = await Inventory.stock(world, first, 3)
    const [sold, broken] = [World.iccid(first), World.iccid(first + 1)]
    works.set(role, { of: tenant.organizationId, sold, broken })
    const hook = { url: `https://hooks.example/${role}`, events: ["subscription.created"] }
    await world.admin("POST", `/organizations/${tenant.organizationId}/webhook-endpoints`, hook)
    for (const iccid of [sold, broken]) await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
    await tenant.call("DELETE", `/v3/subscriptions/${broken}`)
    const used = { attachmentId: "a", planId, label: "Green", day: Date.parse("2026-01-09T00:00:00Z") } as const
    const usage = ["SE", "NO", null].map((countryAlpha2, at) => {
      return { ...used, organizationId: tenant.organizationId, iccid: sold, countryAlpha2, bytes: at + first }
    })
    await world.run(Storage.Storage.use((storage) => storage.commit({ reports: { usage } })))
    const findings = [{ findingId: `test/${sold}`, iccid: sold, message: "It differs at the telco" }]
    await world.run(Problems.Problems.use((problems) => problems.add({ findings })))
  }
  for (const _ of [1, 2, 3, 4]) await world.admin("POST", "/clock/advance", { by: "23 hours" })
})

const { click, clicks, heading, page, region, signInAs, world } = opened

const go = async (target: Locator): Promise<number> => {
  await target.click()
  return 1
}

const read = async (path: string) => (await world().admin("GET", path)).body.data

const workOf = (role: Operator.Role): Work => {
  const work = works.get(role)
  if (work === undefined) throw new Error(`Nothing is prepared for ${role}`)
  return work
}

/** Leads from the first page to what an organization has, and gives the clicks. */
const leadTo = async (of: string, name: string): Promise<number> => {
  const menu = await go(page().getByRole("link", { name: "Organizations", exact: true }))
  const organization = region("Organizations")
    .locator("tbody tr")
    .filter({ has: page().getByTitle(of, { exact: true }) })
  const chosen = await go(organization.getByRole("link", { name }))
  await heading(name)
  return menu + chosen
}

const search = async (text: string): Promise<void> => {
  await page().keyboard.press("/")
  await page().keyboard.type(text)
  await page().keyboard.press("Enter")
}

interface Task {
  readonly title: string
  /** The least role that may. */
  readonly least: Operator.Role
  readonly most: number
  /** Does what it is asked for, and gives the clicks that are no buttons. */
  readonly act: (work: Work) => Promise<number>
  /**
   * Leads to where whoever may not is offered nothing, and gives the name of what is not offered.
   */
  readonly without: (work: Work) => Promise<string>
}

const tasks: ReadonlyArray<Task> = [
  {
    title: "find a SIM, and why it has no service",
    least: "read",
    most: 2,
    act: async ({ sold }) => {
      const clicked = await go(page().getByRole("searchbox"))
      await page().keyboard.type(sold.slice(-6))
      await page().keyboard.press("Enter")
      await heading(`SIM ${sold}`)
      await page().locator("[data-verdict]").getByText("begins with its first use").waitFor()
      return clicked
    },
    without: async () => ""
  },
  {
    title: "show a customer the QR code",
    least: "support",
    most: 2,
    act: async ({ sold }) => {
      await search(sold)
      await click("Show the QR code")
      await page()
        .getByRole("img", { name: `The QR code that installs ${sold}` })
        .waitFor()
      return 0
    },
    without: async ({ sold }) => {
      await search(sold)
      await page().locator("[data-verdict]").waitFor()
      await region("History").waitFor()
      return "Show the QR code"
    }
  },
  {
    title: "get the month's usage of an organization by country as CSV",
    least: "read",
    most: 3,
    act: async ({ of, sold }) => {
      const led = await leadTo(of, "Usage")
      const waiting = page().waitForEvent("download")
      await click("Countries as CSV")
      const file = await waiting
      expect(file.suggestedFilename()).toBe("usage-2026-01-countries.csv")
      const first = 1 + Operator.roles.findIndex((role) => works.get(role)?.sold === sold) * 10
      expect(readFileSync(await file.path(), "utf8")).toBe(
        `country_alpha_2,used_bytes\r\n,${first + 2}\r\nNO,${first + 1}\r\nSE,${first}\r\n`
      )
      return led
    },
    without: async () => ""
  },
  {
    title: "retry what the telco has refused",
    least: "support",
    most: 2,
    act: async ({ broken }) => {
      await world().run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.clearFaults))
      const problem = region("The oldest problems").locator("tbody tr").filter({ hasText: broken })
      await problem.getByText("no such package").waitFor()
      await click("Retry", problem)
      await world().admin("POST", "/clock/advance", { by: "1 second" })
      const left = async () =>
        (await read("/problems")).filter(({ iccid }: { readonly iccid: string | null }) => iccid === broken)
      await expect.poll(left).toEqual([])
      return 0
    },
    without: async ({ broken }) => {
      await region("The oldest problems").getByText(broken).waitFor()
      return "Retry"
    }
  },
  {
    title: "resolve what was dealt with at the telco, and say why",
    least: "support",
    most: 2,
    act: async ({ of, sold }) => {
      const problem = region("The oldest problems").locator("tbody tr").filter({ hasText: sold })
      await click("Resolve", problem)
      const dialog = page().getByRole("dialog")
      await dialog.getByText("The SIM's history keeps who has said so, and why.").waitFor()
      await dialog.getByLabel("Why, for the audit log").fill("seen to on the phone")
      await click("Resolve", dialog)
      await page().getByText("The problem is resolved.").waitFor()
      const history = await read(`/organizations/${of}/subscriptions/${sold}/history`)
      expect(history[0]).toMatchObject({ type: "change", what: "problem.resolve", detail: "seen to on the phone" })
      return 0
    },
    without: async ({ sold }) => {
      await region("The oldest problems").getByText(sold).waitFor()
      return "Resolve"
    }
  },
  {
    title: "send the failed deliveries of an endpoint again, by a filter",
    least: "support",
    most: 3,
    act: async ({ of }) => {
      status = 200
      const endpoint = region("Failing endpoints")
        .locator("tbody tr")
        .filter({ has: page().getByTitle(of, { exact: true }) })
      const clicked = await go(endpoint.getByRole("link", { name: "Failed deliveries" }))
      await heading("Deliveries")
      await expect.poll(() => region("Deliveries").locator("tbody tr").count()).toBe(2)
      await click("Replay all that match")
      await page().getByText("2 deliveries would be sent again.").waitFor()
      await click("Replay all that match", page().getByRole("dialog"))
      await page().getByText("2 deliveries are sent again.").waitFor()
      await world().admin("POST", "/clock/advance", { by: "1 second" })
      expect(await read(`/organizations/${of}/deliveries?status=delivered`)).toHaveLength(2)
      return clicked
    },
    without: async ({ of }) => {
      const endpoint = region("Failing endpoints")
        .locator("tbody tr")
        .filter({ has: page().getByTitle(of, { exact: true }) })
      await endpoint.getByRole("link", { name: "Failed deliveries" }).click()
      await heading("Deliveries")
      await expect.poll(() => region("Deliveries").locator("tbody tr").count()).toBe(2)
      return "Replay all that match"
    }
  },
  {
    title: "sell a plan on a free SIM",
    least: "support",
    most: 4,
    act: async ({ of }) => {
      const led = await leadTo(of, "Plans")
      await click("Sell", region("Plans"))
      const dialog = page().getByRole("dialog")
      await dialog.getByText("It would be sold on a free eSIM, such as").waitFor()
      await dialog.getByText("The telco would order a package: one from the first use on.").waitFor()
      const before = (await read(`/organizations/${of}/subscriptions`)).length
      await click("Sell", dialog)
      await page().getByText("The plan is sold on the SIM").waitFor()
      expect(await read(`/organizations/${of}/subscriptions`)).toHaveLength(before + 1)
      return led
    },
    without: async ({ of }) => {
      await leadTo(of, "Plans")
      await region("Plans").getByText("France 1 GB").waitFor()
      return "Sell"
    }
  },
  {
    title: "set a level of stock",
    least: "support",
    most: 3,
    act: async ({ of }) => {
      const led = await leadTo(of, "Stock")
      await click("Set the level", region("Stock"))
      await page().getByRole("dialog").getByLabel("Notify once fewer are free").fill("5")
      await page().getByText("would be sent once fewer than 5 are free").waitFor()
      await page().keyboard.press("Enter")
      await region("Stock").getByText("which is low").waitFor()
      const [stock] = await read(`/organizations/${of}/sims/stock`)
      expect([stock.label, stock.level]).toEqual(["Green", 5])
      return led
    },
    without: async ({ of }) => {
      await leadTo(of, "Stock")
      await region("Stock").getByText("Green").waitFor()
      return "Set the level"
    }
  },
  {
    title: "move a virtual clock by a day",
    least: "admin",
    most: 2,
    act: async () => {
      const before = Date.parse((await read("/clock")).now)
      await click("Advance by a day")
      await expect.poll(async () => Date.parse((await read("/clock")).now)).toBe(before + 86_400_000)
      return 0
    },
    without: async () => {
      await page().getByText("The clock is virtual").waitFor()
      return "Advance by a day"
    }
  }
]

describe.each(Operator.roles)("whoever has the role %s", (role) => {
  const [able, unable] = [true, false].map((is) => tasks.filter(({ least }) => Operator.allows(role, least) === is))

  it.each(able ?? [])("can $title, in $most clicks at most", async ({ act, most }) => {
    await signInAs(role, "")
    await heading("Overview")
    const clicked = await act(workOf(role))
    expect(clicks() + clicked).toBeGreaterThan(0)
    expect(clicks() + clicked).toBeLessThanOrEqual(most)
    await expect.poll(() => page().getByRole("alert").allInnerTexts()).toEqual([])
  })

  if (unable !== undefined && unable.length > 0) {
    it.each(unable)("is not offered to $title", async ({ without }) => {
      await signInAs(role, "")
      await heading("Overview")
      const name = await without(workOf(role))
      await expect.poll(() => page().getByRole("button", { name, exact: true }).count()).toBe(0)
      await expect.poll(() => page().getByRole("alert").allInnerTexts()).toEqual([])
    })
  }
})

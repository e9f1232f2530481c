/**
 * The stock of SIMs over HTTP (rules I11 and I12).
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 4)
const acme = stock.tenant
await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
  sims: [
    { iccid: World.iccid(8), label: "Green", is_esim: false },
    { iccid: World.iccid(9), label: "Blue", is_esim: true, lpa: "LPA:1$smdp.example$B" }
  ]
})

const levels = (...named: ReadonlyArray<readonly [label: unknown, level: unknown]>) =>
  acme.call("PUT", "/v3/sims/stock/levels", { body: { levels: named.map(([label, level]) => ({ label, level })) } })

describe("the stock", () => {
  it("has the SIMs of each label by where they stand", async () => {
    await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "" })
    const { body, headers, status } = await acme.get("/v3/sims/stock")
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"])
    const none = { free: 0, in_use: 0, releasing: 0, withdrawn: 0 }
    expect(body).toStrictEqual({
      error: false,
      data: [
        {
          label: "Green",
          ...{ free: 3, in_use: 1, releasing: 0, withdrawn: 0, downloaded: 0, lapsed: 0 },
          physical: { ...none, free: 1 },
          level: null
        },
        { label: "Blue", ...{ ...none, free: 1, downloaded: 0, lapsed: 0 }, physical: none, level: null }
      ]
    })
  })

  it("is empty for an organization without SIMs", async () => {
    const other = await World.tenant(world)
    expect((await other.get("/v3/sims/stock")).body.data).toEqual([])
  })
})

describe("levels", () => {
  it("are shown with the stock, and replace those before", async () => {
    const set = await levels(["Green", 2], ["Red", 100_000])
    expect([set.status, set.body.data]).toEqual([
      200,
      {
        levels: [
          { label: "Green", level: 2 },
          { label: "Red", level: 100_000 }
        ]
      }
    ])
    const shown = async () =>
      (await acme.get("/v3/sims/stock")).body.data.map((one: { readonly label: string; readonly level: number }) => [
        one.label,
        one.level
      ])
    expect(await shown()).toEqual([
      ["Green", 2],
      ["Blue", null],
      ["Red", 100_000]
    ])
    await levels(["Blue", 1])
    expect(await shown()).toEqual([
      ["Green", null],
      ["Blue", 1]
    ])
  })

  it.each([
    [["Green", 0]],
    [["Green", 100_001]],
    [["Green", 1.5]],
    [["Green", "5"]],
    [["green", 5]],
    [
      ["Green", 5],
      ["Green", 6]
    ],
    [[undefined, 5]]
  ] as ReadonlyArray<[...ReadonlyArray<readonly [unknown, unknown]>]>)("refuse %j", async (...named) => {
    const refused = await levels(...named)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  })

  it("are not changed by a key that only reads", async () => {
    const reader = await World.tenant(world, "read")
    const answer = await reader.call("PUT", "/v3/sims/stock/levels", { body: { levels: [] } })
    expect([answer.status, answer.body.code]).toEqual([403, "key_read_only"])
  })
})

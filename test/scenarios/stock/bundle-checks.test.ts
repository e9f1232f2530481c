/**
 * Plans whose bundles a supplier changes, takes off sale or makes dearer (rule P6).
 */
import { Effect, Layer, Result } from "effect"
import { Plans, Problems } from "simplan"
import { Telco, TelcoBundles } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, type World } from "../World.ts"

const DAY = 86_400_000

const bundle: TelcoBundles.Bundle = {
  ...{ code: "1GB", name: "France", kind: "any", countries: ["FR"], dataBytes: 1_073_741_824, days: 7 },
  price: { units: 450, scale: 2, currency: "USD" }
}

let world: World
let planId: string
let catalogue: Effect.Effect<ReadonlyArray<TelcoBundles.Bundle>, Telco.Unavailable>

const sold: TelcoBundles.TelcoBundles = {
  telcos: Effect.succeed(["go"]),
  of: () => Effect.suspend(() => catalogue)
}

const sells = (...bundles: ReadonlyArray<TelcoBundles.Bundle>) => {
  catalogue = Effect.succeed(bundles)
}

const limit = { units: 500, scale: 2, currency: "USD" }
const wanted = { load: "1GB", topUpLoad: null, limit }

beforeEach(async () => {
  sells(bundle)
  world = await make({ telcoTimeoutMillis: 20_000 }, {}, Layer.succeed(TelcoBundles.TelcoBundles, sold))
  const { organizationId } = world
  const request = { organizationId, telco: "go", bundle: wanted, label: "Green", name: null, dryRun: false } as const
  const made = await world.run(Plans.Plans.use((plans) => plans.createFromBundle(request)))
  planId = made.planId ?? ""
})

const aDayLater = async () => {
  await world.advanceBy(DAY)
  await world.settle()
}

const problems = async () => (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items
const create = () => Calls.create(world, { planId })
const purchases = () => world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sales))

const setBundle = (changes: Partial<typeof wanted>) => {
  const request = { organizationId: world.organizationId, planId, bundle: { ...wanted, ...changes } }
  return world.run(Plans.Plans.use((of) => of.setBundle(request)))
}

describe("P6: a plan whose bundle", () => {
  it("stays as it is is sold, and is no problem", async () => {
    await aDayLater()
    expect(await problems()).toEqual([])
    expect(Result.isSuccess(await create())).toBe(true)
  })

  it("is gone is one problem, and nothing is bought for it until it is back", async () => {
    sells()
    for (let day = 0; day < 3; day++) await aDayLater()
    const message = "The plan France is sold no more: go sells 1GB no more"
    expect(await problems()).toMatchObject([{ work: { _tag: "CheckBundle", planId }, refused: { message } }])
    expect(await create()).toMatchObject({ failure: { _tag: "SoldOut", load: "1GB", why: message } })
    expect(await purchases()).toEqual([])
    sells(bundle)
    await aDayLater()
    expect(await problems()).toEqual([])
    expect(Result.isSuccess(await create())).toBe(true)
  })

  it("is dearer than its limit is sold again once the limit is raised", async () => {
    sells({ ...bundle, price: { ...limit, units: 501 } })
    await aDayLater()
    const why = expect.stringContaining("costs 5.01 USD at go by now, and the limit is 5.00 USD")
    expect(await create()).toMatchObject({ failure: { _tag: "SoldOut", why } })
    await setBundle({ limit: { ...limit, units: 600 } })
    expect(await problems()).toEqual([])
    expect(Result.isSuccess(await create())).toBe(true)
    await aDayLater()
    expect(await problems()).toEqual([])
  })

  it("is gone still gives what is in stock", async () => {
    const { sim } = Result.getOrThrow(await create())
    await Calls.remove(world, sim.iccid)
    await world.settle()
    sells()
    await aDayLater()
    expect(Result.getOrThrow(await create()).sim.iccid).toBe(sim.iccid)
  })

  it("cannot be looked up stays as it is", async () => {
    catalogue = Effect.fail(new Telco.Unavailable({ message: "It is night there" }))
    await aDayLater()
    expect(await problems()).toEqual([])
    sells()
    await aDayLater()
    expect(await problems()).toHaveLength(1)
    catalogue = Effect.fail(new Telco.Unavailable({ message: "It is night there" }))
    await aDayLater()
    expect(await problems()).toHaveLength(1)
  })

  it.each([
    [[], 1],
    [[bundle], 0]
  ])("is tried again by an operator, who finds %j, is %i problems", async (found, count) => {
    sells()
    await aDayLater()
    sells(...found)
    const [{ jobId: problemId } = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((of) => of.retry({ problemId })))
    await world.settle()
    expect(await problems()).toHaveLength(count)
  })

  it("is none any more, or is deleted, is not checked", async () => {
    sells()
    await aDayLater()
    const of = { organizationId: world.organizationId, planId }
    await world.run(Plans.Plans.use((plans) => plans.remove(of)))
    await aDayLater()
    expect(await problems()).toEqual([])
  })
})

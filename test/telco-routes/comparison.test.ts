/**
 * The daily comparison of what suppliers list for their accounts with what was bought here
 * (rules S6 and C4).
 */
import { Clock, Effect } from "effect"
import { Plans, Problems } from "simplan"
import { type Job, Telco } from "simplan/ports"
import { expect, it, onTestFinished } from "vitest"
import { Routes } from "../../adapters/telco-routes/index.ts"
import * as Shop from "../setup/Shop.ts"
import * as SteppedClock from "../setup/SteppedClock.ts"
import * as Suppliers from "./Suppliers.ts"
import * as World from "./World.ts"

const DAY = 86_400_000

const open = async (kind: Suppliers.Kind) => {
  const supplier = await Suppliers.start[kind]()
  onTestFinished(supplier.close)
  const settings = World.settings({ shop: supplier.telco({ env: "SECRET" }) }, [{ packages: "shop" }], {
    SECRET: supplier.secret
  })
  const world = await World.start(settings)
  const { run } = world
  const { clock, step } = SteppedClock.of(await run(Clock.clockWith(Effect.succeed)))
  const drain = () => run(Routes.Routes.use((of) => of.drain).pipe(Effect.provideService(Clock.Clock, clock)))
  /** What is found when so much time has passed. */
  const after = async (millis: number): Promise<ReadonlyArray<Job.Job>> => {
    step(millis)
    await drain()
    return (await run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items
  }
  const { organizationId } = await run(World.organization)
  const { planId } = await run(Shop.createPlan(organizationId, { periodDays: 7 }))
  const bundle = { load: supplier.load, topUpLoad: null, limit: null }
  await run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
  const create = () => run(Shop.subscribe({ organizationId, planId }))
  /** Buys an eSIM that never comes into the inventory. */
  const lose = () =>
    run(
      Telco.Telco.use(
        ({ buySim }) =>
          buySim?.({ purchaseId: "lost", organizationId, label: "Green", load: supplier.load, limit: null }) ??
          Effect.die("it sells none")
      )
    )
  // From now on it is compared.
  await drain()
  return { supplier, after, create, lose, logs: world.logs }
}

const ids = (all: ReadonlyArray<Job.Job>) => all.map(({ jobId }) => jobId)

it.each(Suppliers.kinds)("C4: what was bought here of %s is no problem", async (kind) => {
  const { after, create } = await open(kind)
  for (let order = 0; order < 3; order++) await create()
  expect(await after(2.5 * DAY)).toEqual([])
})

it.each(Suppliers.kinds)(
  "C4: strangers, lost eSIMs and amounts at %s are found a day later, with both sides",
  async (kind) => {
    const { after, create, logs, lose, supplier } = await open(kind)
    await create()
    const charged = supplier.chargeMore()
    const { iccid } = await lose()
    const stranger = supplier.sellElsewhere()
    expect(await after(DAY / 2)).toEqual([])
    const found = await after(2 * DAY)
    const others = [`review:shop/esim/${iccid}`, `review:shop/order/${stranger}`]
    const isCharge = (id: string) => id.includes("/charge/")
    expect(
      ids(found)
        .filter((id) => !isCharge(id))
        .toSorted()
    ).toEqual(others)
    for (const { organizationId, work } of found) {
      expect(organizationId).toBe("*")
      expect(work).toMatchObject({ _tag: "ReviewAccount", telco: "shop", sides: { ours: expect.any(String) } })
    }
    const sides = (id: string) => found.find(({ jobId }) => jobId.includes(id))?.work
    // What was lost is not in the ledger either.
    const charges = found.flatMap(({ jobId, work }) => (isCharge(jobId) && "sides" in work ? [work.sides] : []))
    const [unbooked] = charges.filter((one) => one?.ours === "no charge")
    expect(charges).toHaveLength(kind === "esim-access" ? 0 : 2)
    expect(unbooked === undefined).toBe(kind === "esim-access")
    expect(sides("/esim/")).toMatchObject({ sides: { ours: "not in the inventory", theirs: `the eSIM ${iccid}` } })
    expect(sides("/order/")).toMatchObject({ sides: { ours: "no such order" } })
    if (kind === "esim-go")
      expect(sides(`/charge/${charged}`)).toMatchObject({ sides: { ours: "2.28 USD", theirs: "2.29 USD" } })
    if (kind === "airalo")
      expect(sides(`/charge/${charged}`)).toMatchObject({ sides: { ours: "4.50 USD", theirs: "4.51 USD" } })
    // Each order is compared once.
    expect(ids(await after(2 * DAY))).toEqual(ids(found))
    expect(logs.filter((line) => line.includes("then resolve this"))).toHaveLength(others.length + charges.length)
  }
)

/**
 * What a process keeps in memory when another changes it. API keys and the catalogue: at once where
 * it is notified, and within 5 s where it does not; plans: at once, notified or not.
 */
import { Effect } from "effect"
import { ApiKeys, Catalogues, Plans, Time } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../../setup/Shop.ts"
import * as Processes from "../Processes.ts"

const WITHIN = 5 * Time.SECOND

let world: Awaited<ReturnType<typeof Processes.make>>
let one: ReturnType<typeof world.process>
beforeEach(async () => {
  world = await Processes.make()
  one = world.process()
})
afterEach(() => world.close())

describe("W3: a key that one process revokes", () => {
  const issue = () =>
    one.run(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open()
        const apiKeys = yield* ApiKeys.ApiKeys
        return yield* apiKeys.create({ organizationId, name: "key", scope: "full", expiresAt: null })
      })
    )
  const use = (process: typeof one, key: string) =>
    process.run(Effect.result(ApiKeys.ApiKeys.use((apiKeys) => apiKeys.authenticate(key))))
  const change = (
    { apiKeyId, organizationId }: Awaited<ReturnType<typeof issue>>["apiKey"],
    how: "revoke" | "rotate"
  ) =>
    one.run(
      ApiKeys.ApiKeys.use((apiKeys): Effect.Effect<unknown, unknown> => apiKeys[how]({ organizationId, apiKeyId }))
    )

  it.each(["revoke", "rotate"] as const)("is refused at once by all that are notified (%s)", async (how) => {
    const other = world.process()
    const { apiKey, key } = await issue()
    for (const process of [one, other]) expect(await use(process, key)).toMatchObject({ _tag: "Success" })
    await change(apiKey, how)
    for (const process of [one, other]) expect(await use(process, key)).toMatchObject({ _tag: "Failure" })
  })

  it("goes on beside the next one, for all, while they overlap", async () => {
    const other = world.process()
    const { apiKey, key } = await issue()
    expect(await use(other, key)).toMatchObject({ _tag: "Success" })
    const { apiKeyId, organizationId } = apiKey
    const next = await one.run(
      ApiKeys.ApiKeys.use((apiKeys) => apiKeys.rotate({ organizationId, apiKeyId, overlapHours: 1 }))
    )
    for (const process of [one, other])
      for (const secret of [key, next.key]) expect(await use(process, secret)).toMatchObject({ _tag: "Success" })
  })

  it("is refused within 5 s by one that is not notified", async () => {
    const deaf = world.process({ isDeaf: true })
    const { apiKey, key } = await issue()
    expect(await use(deaf, key)).toMatchObject({ _tag: "Success" })
    await change(apiKey, "revoke")
    expect(await use(deaf, key)).toMatchObject({ _tag: "Success" })
    await deaf.move(WITHIN)
    expect(await use(deaf, key)).toMatchObject({ _tag: "Failure" })
  })
})

describe("a catalogue that one process replaces", () => {
  const countries = (process: typeof one) =>
    process.run(Catalogues.Catalogues.use((of) => Effect.map(of.current, ({ countryByIso2 }) => countryByIso2.size)))
  const replace = () => {
    const standard = StandardCatalogue.catalogue()
    const [country] = standard.countries
    const catalogue = { countries: country === undefined ? [] : [country], operators: [], profiles: [] }
    return one.run(Catalogues.Catalogues.use((of) => of.replace(catalogue)))
  }

  it("is in force at once for all that are notified, and within 5 s for one that is not", async () => {
    const [other, deaf] = [world.process(), world.process({ isDeaf: true })]
    for (const process of [one, other, deaf]) expect(await countries(process)).toBeGreaterThan(1)
    await replace()
    expect([await countries(one), await countries(other)]).toEqual([1, 1])
    expect(await countries(deaf)).toBeGreaterThan(1)
    await deaf.move(WITHIN)
    expect(await countries(deaf)).toBe(1)
  })
})

describe("P2: a plan that a process has put SIMs into service with, and another changes", () => {
  const iccids = ["8933010000000000018", "8933010000000000026", "8933010000000000034", "8933010000000000042"]

  /** An organization with these eSIMs and a plan. */
  const prepare = (stock: ReadonlyArray<string>) =>
    one.run(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open(stock)
        const { planId } = yield* Shop.createPlan(organizationId)
        return { organizationId, planId }
      })
    )
  type OfPlan = Awaited<ReturnType<typeof prepare>>
  const subscribe = (process: typeof one, of: OfPlan) => process.run(Effect.result(Shop.subscribe(of)))
  const change = (how: "archive" | "unarchive" | "remove", of: OfPlan) =>
    one.run(Plans.Plans.use((all): Effect.Effect<unknown, unknown> => all[how](of)))
  const refusal = (tag: string) => ({ _tag: "Failure", failure: { _tag: tag } })

  it("is refused from then on, and taken again when it may be", async () => {
    const deaf = world.process({ isDeaf: true })
    const of = await prepare(iccids)
    expect(await subscribe(deaf, of)).toMatchObject({ _tag: "Success" })
    await change("archive", of)
    expect(await subscribe(deaf, of)).toMatchObject(refusal("PlanArchived"))
    await change("unarchive", of)
    expect(await subscribe(deaf, of)).toMatchObject({ _tag: "Success" })
    await change("remove", of)
    expect(await subscribe(deaf, of)).toMatchObject(refusal("NotFound"))
  })

  it("is what is answered first, also where no eSIM is left", async () => {
    const deaf = world.process({ isDeaf: true })
    const of = await prepare(iccids.slice(0, 1))
    expect(await subscribe(deaf, of)).toMatchObject({ _tag: "Success" })
    expect(await subscribe(deaf, of)).toMatchObject(refusal("NoFreeSim"))
    await change("remove", of)
    expect(await subscribe(deaf, of)).toMatchObject({ _tag: "Failure", failure: { resource: "plan" } })
  })
})

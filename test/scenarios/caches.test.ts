/**
 * What a process keeps in memory, API keys and the catalogue, when another changes it: at once where it hears of it,
 * and within 5 s where it does not.
 */
import { Effect } from "effect"
import { Catalogues, Organizations, Time } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Processes from "./Processes.ts"

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
      Organizations.Organizations.use((of) =>
        Effect.flatMap(of.create({ name: "Traveller Ltd" }), ({ organizationId }) =>
          of.createKey({ organizationId, name: "key", scope: "full", expiresAt: null })
        )
      )
    )
  const use = (process: typeof one, key: string) =>
    process.run(Effect.result(Organizations.Organizations.use((of) => of.authenticate(key))))
  const change = (
    { apiKeyId, organizationId }: Awaited<ReturnType<typeof issue>>["apiKey"],
    how: "revoke" | "rotate"
  ) =>
    one.run(
      Organizations.Organizations.use(
        (of): Effect.Effect<unknown, unknown> => of[`${how}Key`]({ organizationId, apiKeyId })
      )
    )

  it.each(["revoke", "rotate"] as const)("is refused at once by all that hear of it (%s)", async (how) => {
    const other = world.process()
    const { apiKey, key } = await issue()
    for (const process of [one, other]) expect(await use(process, key)).toMatchObject({ _tag: "Success" })
    await change(apiKey, how)
    for (const process of [one, other]) expect(await use(process, key)).toMatchObject({ _tag: "Failure" })
  })

  it("is refused within 5 s by one that hears nothing", async () => {
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

  it("is in force at once for all that hear of it, and within 5 s for one that hears nothing", async () => {
    const [other, deaf] = [world.process(), world.process({ isDeaf: true })]
    for (const process of [one, other, deaf]) expect(await countries(process)).toBeGreaterThan(1)
    await replace()
    expect([await countries(one), await countries(other)]).toEqual([1, 1])
    expect(await countries(deaf)).toBeGreaterThan(1)
    await deaf.move(WITHIN)
    expect(await countries(deaf)).toBe(1)
  })
})

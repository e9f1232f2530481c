/**
 * Mistakes in the use of a simulation: one sentence names the field, the value and what is allowed.
 */
import { type Duration, Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Simulation from "../../adapters/simulation/Simulation.ts"

const START = Date.UTC(2026, 0, 1)

const refused = (
  advance: (simulation: Effect.Success<ReturnType<typeof Simulation.make>>) => Effect.Effect<unknown, Error>
) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(Simulation.make({ start: START }), (simulation) => Effect.flip(advance(simulation))))
  )

describe("A simulation", () => {
  it.each([
    ["12 hours", 12 * 3_600_000],
    [1, 1],
    [0, 0],
    ["2 days", 2 * 86_400_000]
  ] as const)("advances by %s", async (by, millis) => {
    const now = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(Simulation.make({ start: START }), (simulation) => simulation.advanceBy(by)))
    )
    expect(now).toBe(START + millis)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "Infinity", 0.5] satisfies ReadonlyArray<Duration.Input>)(
    "does not advance by %s",
    async (by) => {
      const refusal = await refused((simulation) => simulation.advanceBy(by))
      expect(refusal.message).toMatch(/^by is .+, but must be a span of whole milliseconds forwards, such as 3600000/)
    }
  )

  it("does not go backwards, nor beyond the year 9999", async () => {
    const allowed = "but must be an instant in whole milliseconds, from now, 2026-01-01T00:00:00.000Z, to the year 9999"
    const message = async (to: number) => (await refused((simulation) => simulation.advanceTo(to))).message
    expect(await message(START - 1)).toBe(`to is 2025-12-31T23:59:59.999Z, ${allowed}`)
    expect(await message(Date.UTC(10_000, 0, 1))).toBe(`to is 253402300800000, ${allowed}`)
    expect(await message(Number.NaN)).toBe(`to is NaN, ${allowed}`)
  })

  it.each([
    [{ seed: 0.5 }, "seed is 0.5, but must be a whole number"],
    [{ start: 1.5 }, "start is 1.5, but must be an instant in whole milliseconds, up to the year 9999"],
    [{ esims: { Green: -1 } }, "esims.Green is -1, but must be a whole number from 0 on"],
    [{ physicalSims: 0.1 }, "physicalSims is 0.1, but must be a whole number from 0 on"]
  ])("is not made of %j", async (options, sentence) => {
    await expect(Effect.runPromise(Effect.scoped(Simulation.make(options)))).rejects.toThrow(sentence)
  })
})

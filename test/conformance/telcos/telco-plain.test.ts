/**
 * The suite over a telco of plain functions, and over ones that make mistakes, which it has to
 * find.
 */
import { Effect, Exit, Layer } from "effect"
import type { Telco } from "simplan/ports"
import { createSimulator, telcoLayer } from "simplan/promise"
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, describe, expect, it } from "vitest"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as PlainTelco from "./PlainTelco.ts"

const { faults, functions, observe } = PlainTelco.make()
TelcoSuite.run("A telco of plain functions", telcoLayer(functions), { describe, it, afterAll }, { observe, faults })

const less = PlainTelco.make()
const capabilities = {
  suspension: "none",
  windows: false,
  throttling: false,
  mobilePlans: false,
  sms: { longest: 60, senders: ["Shop"] }
} as const
TelcoSuite.run(
  "A telco of plain functions that does less",
  telcoLayer({ ...less.functions, capabilities }),
  { describe, it, afterAll },
  { observe: less.observe }
)

TelcoSuite.run("The simulator of Promise hosts", createSimulator(), { describe, it, afterAll })

const isTelco = (value: unknown): value is Layer.Layer<Telco.Telco> => Layer.isLayer(value)

/** The names of the cases that a telco with a mistake fails. */
const failedBy = (mistake: PlainTelco.Mistake) => {
  const telco = PlainTelco.make(mistake)
  const layer = telcoLayer(telco.functions, { logger: false })
  if (!isTelco(layer)) throw new Error("no layer")
  const cases = TelcoSuite.cases({ observe: telco.observe, faults: telco.faults })
  return Effect.filter(cases, ({ effect }) => Effect.map(Effect.exit(effect), Exit.isFailure)).pipe(
    Effect.map((failed) => failed.map(({ name }) => name)),
    Effect.provide(layer),
    Effect.runPromise
  )
}

it("is no layer of what is no telco of plain functions", () => {
  const refusal = (telco: unknown): unknown => {
    try {
      return Reflect.apply(telcoLayer, undefined, [telco])
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }
  expect(refusal(createSimulator())).toBe("telcoLayer: telco is a layer already")
  const { sendSms: _, ...others } = PlainTelco.make().functions
  for (const telco of [others, { ...others, sendSms: "no" }]) {
    expect(refusal(telco)).toMatch(/^telcoLayer: telco\.sendSms must be an async function, not /)
  }
  for (const none of [undefined, "simulator", { url: "https://bridge.example", token: "secret" }]) {
    expect(refusal(none)).toMatch(/^telcoLayer: telco\.createPackage must be an async function/)
  }
})

describe("The suite", () => {
  it("finds a telco that does a call again that comes again", async () => {
    expect(await failedBy("does a call again that comes again")).toEqual(
      expect.arrayContaining([
        "a creation, its answer lost, comes again and makes one package",
        "a creation that is done late, after it came again, makes one package",
        "a message, its answer lost, is not sent again",
        "a mobile plan, the answer of its change lost, is what the last change says"
      ])
    )
  })

  it("finds a telco that creates what was cancelled before", async () => {
    expect(await failedBy("creates what was cancelled before")).toEqual(
      expect.arrayContaining([
        "a creation, its request lost, that is cancelled leaves no package, and its key is spent",
        "a creation, its answer lost, that is cancelled leaves no package, and its key is spent",
        "a creation that is done late, after its cancellation, leaves no package"
      ])
    )
  })

  it("finds a telco that forgets what it has refused", async () => {
    expect(await failedBy("forgets what it has refused")).toEqual([
      "a refused creation stays refused by its key, makes no package, and hinders no other one",
      "a refused cancellation stays refused by its key, and may be done under another one",
      "a refused message stays refused by its id, and is not sent"
    ])
  })

  it("finds a telco that names a package anew once its times are known", async () => {
    expect(await failedBy("names a package anew once its times are known")).toEqual([
      "a package whose times the telco learns later stays the same package, with times in order"
    ])
  })

  it("fails where a hook throws or rejects, and says what it threw", async () => {
    const outOfBooks = new Error("the books are closed")
    const hooks: ReadonlyArray<() => Promise<number>> = [
      () => Promise.reject(outOfBooks),
      () => {
        throw outOfBooks
      }
    ]
    for (const packages of hooks) {
      const [first] = TelcoSuite.cases({ observe: { ...observe, packages } })
      const layer = telcoLayer(PlainTelco.make().functions)
      if (first === undefined || !isTelco(layer)) throw new Error("no case, or no layer")
      await expect(Effect.runPromise(Effect.provide(first.effect, layer))).rejects.toThrow("the books are closed")
    }
  })

  it("says in its name what it cannot observe, and has no case of it", () => {
    const nameFor = (options: TelcoSuite.Options<never>): string => {
      const names: Array<string> = []
      const runner = { describe: (name: string) => names.push(name), it: () => {} }
      TelcoSuite.run("one", TelcoSimulator.layerMemory(), runner, options)
      return names.join()
    }
    expect(nameFor({ observe, faults })).toBe("one is a telco (not observed: usage)")
    expect(nameFor({ observe, faults: { refuse: () => Effect.void } })).toBe(
      "one is a telco (not observed: lost requests, lost answers, late effects, times reported later, usage)"
    )
    expect(nameFor({})).toBe(
      "one is a telco (not observed: what is behind the port, lost requests, lost answers, late effects, refusals, times reported later, usage)"
    )
    const names = TelcoSuite.cases().map(({ name }) => name)
    expect(names.filter((name) => /\b(lost|late)\b|^a refused/.test(name))).toEqual([])
  })
})

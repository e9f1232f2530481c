/**
 * Tests of the adapter over a model of the charging system whose calls end as a script says, on a
 * clock of the test's.
 */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Telco } from "simplan/ports"
import { it } from "vitest"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { Api, Ocs } from "../../../adapters/telco-ocs/index.ts"
import type * as Tests from "../../setup/Tests.ts"
import * as Model from "../Model.ts"

export const iccid = "8988303000000000017"

export type Services = Telco.Telco | Ocs.Services | Journal.Journal

type Name = keyof Api.Api["Service"]

export interface World {
  readonly model: Model.Model
  /** How many calls of this name there were; only of those in the script. */
  readonly calls: (name: Name) => number
}

const options = { telco: "ocs", resellerId: 1, zones: { Green: { FR: 27 } }, mobilePlanId: 10, listLag: 0 }

/** A test with what befalls the calls of a name, one by one; those beyond are done and answered. */
export const test = (
  name: string,
  script: { readonly [Of in Name]?: ReadonlyArray<Model.Fault | null> },
  body: Tests.Body<Services, [world: World]>
): void =>
  it(name, () => {
    const made = new Map<Name, number>()
    const calls = (of: Name) => made.get(of) ?? 0
    const fault = (of: Name) => {
      made.set(of, calls(of) + 1)
      return script[of]?.[calls(of) - 1] ?? null
    }
    const model = Model.make({ fault })
    const services = Layer.provideMerge(Ocs.layer({ ...options, watch: "15 minutes" }), [
      Journal.layerMemory,
      Layer.succeed(Api.Api, model.api)
    ])
    return Effect.gen(() => body({ model, calls })).pipe(
      Effect.provide(services),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )
  })

/** How a call without an answer fails, which ends by the clock. */
export const inVain = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<E, A, R> =>
  Effect.gen(function* () {
    const calling = yield* Effect.forkChild(Effect.flip(call), { startImmediately: true })
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.join(calling)
  })

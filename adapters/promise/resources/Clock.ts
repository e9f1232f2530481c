/**
 * The business clock.
 */
import { Effect, Schema } from "effect"
import { Clock } from "simplan"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import * as TimeSpans from "../TimeSpans.ts"
import type * as Types from "../types/Operation.ts"

const nothing = Arguments.decoder(Arguments.Nothing)
const decodeTo = Arguments.decoder(Schema.Struct({ to: Arguments.Instant }))

const decodeBy = Arguments.decoder(
  Schema.Struct({ by: Schema.declare(TimeSpans.isTimeSpan, { message: TimeSpans.MESSAGE }) })
)

const service = Clock.Clock

const moving = (advance: Effect.Effect<number, unknown, Provided>) =>
  Methods.json(Schema.Number, advance, (now) => Effect.succeed({ now: Arguments.toDate(now) }))

export const make = (runtime: Runtime): Types.Clock => {
  const read = Methods.reading(runtime, { name: "clock.read", decode: nothing }, () =>
    Effect.flatMap(service, (clock) =>
      Effect.map(clock.read, ({ now, virtual }) => ({ now: Arguments.toDate(now), virtual }))
    )
  )
  return {
    read: (options) => read({}, options),
    advanceTo: Methods.writing(runtime, { name: "clock.advanceTo", decode: decodeTo }, ({ to }) =>
      moving(Effect.flatMap(service, (clock) => clock.advanceTo(Arguments.toInstant(to))))
    ),
    advanceBy: Methods.writing(runtime, { name: "clock.advanceBy", decode: decodeBy }, ({ by }) =>
      moving(Effect.flatMap(service, (clock) => clock.advanceBy(TimeSpans.millis(by) ?? Number.NaN)))
    )
  }
}

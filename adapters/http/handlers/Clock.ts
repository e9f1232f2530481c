/**
 * Handlers of the business clock.
 */
import { Duration, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Clock, Time } from "simplan"
import { Api } from "../api/Api.ts"
import * as ClockApi from "../api/ClockApi.ts"
import * as Instants from "../shapes/Instants.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Responses from "../wire/Responses.ts"

type Item = typeof ClockApi.ClockItem.Type
type Advanced = typeof ClockApi.AdvancedItem.Type

const decodeAdvance = JsonBody.decoder(ClockApi.Advance)

const notOne = Errors.invalidField("to", "or by must be given, and not both")
const badDuration = Errors.invalidField("by", "must be a duration such as 12 hours")

const isDurationInput = (text: string): text is `${number} millis` =>
  /^\d+(?:\.\d+)? (?:nano|micro|milli|second|minute|hour|day|week)s?$/.test(text)

const millis = (text: string): number | undefined => {
  const duration = isDurationInput(text) ? Duration.fromInput(text) : Option.none()
  return Option.getOrUndefined(Option.map(duration, (value) => Math.round(Duration.toMillis(value))))
}

export const layer = HttpApiBuilder.group(
  Api,
  "clock",
  Effect.fnUntraced(function* (handlers) {
    const clock = yield* Clock.Clock

    const moved = Effect.fnUntraced(function* ({ by, to }: typeof ClockApi.Advance.Type) {
      const instant = Instants.fromWire(to)
      if ((instant === null) === (by === undefined)) return yield* notOne
      if (instant !== null) return yield* clock.advanceTo(instant)
      const span = millis(by ?? "")
      return span === undefined ? yield* badDuration : yield* clock.advanceBy(span)
    })

    return handlers
      .handle(
        "read",
        Effect.fnUntraced(function* () {
          const { now, virtual } = yield* clock.read
          return Responses.ok<Item>({ error: false, data: { now: Time.toIso(now), virtual } })
        })
      )
      .handleRaw(
        "advance",
        Effect.fnUntraced(function* ({ request }) {
          const { value } = yield* JsonBody.read(request)
          const now = yield* moved(yield* decodeAdvance(value))
          return Responses.ok<Advanced>({ error: false, data: { now: Time.toIso(now) } })
        }, ErrorResponses.handled)
      )
  })
)

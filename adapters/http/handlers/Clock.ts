/**
 * Handlers of the business clock.
 */
import { Duration, Effect, Option } from "effect"
import { Clock, Time } from "simplan"
import * as ClockApi from "../api/management/ClockApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Errors from "../wire/Errors.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const decodeAdvance = Body.closedDecoder(ClockApi.Advance)

const notOne = Errors.invalidField("to", "or by must be given, and not both")
const badDuration = Errors.invalidField("by", "must be a duration such as 12 hours")

const isDurationInput = (text: string): text is `${number} millis` =>
  /^\d+(?:\.\d+)? (?:nano|micro|milli|second|minute|hour|day|week)s?$/.test(text)

const millis = (text: string): number | undefined => {
  const duration = isDurationInput(text) ? Duration.fromInput(text) : Option.none()
  return Option.getOrUndefined(Option.map(duration, (value) => Math.round(Duration.toMillis(value))))
}

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock

    const moved = Effect.fnUntraced(function* ({ by, to }: typeof ClockApi.Advance.Type) {
      const instant = Query.instant(to)
      if ((instant === null) === (by === undefined)) return yield* notOne
      if (instant !== null) return yield* clock.advanceTo(instant)
      const span = millis(by ?? "")
      return span === undefined ? yield* badDuration : yield* clock.advanceBy(span)
    })

    return Endpoints.group(ClockApi.ClockApi, guard, {
      read: Effect.fnUntraced(function* () {
        const { now, virtual } = yield* clock.read
        return Responses.data({ now: Time.toIso(now), virtual })
      }),
      advance: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        const now = yield* moved(yield* decodeAdvance(value))
        return Responses.data({ now: Time.toIso(now) })
      })
    })
  })

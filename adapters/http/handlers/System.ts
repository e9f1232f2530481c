/**
 * Handlers of health, readiness and metrics of the process, and of its business clock.
 */
import { Duration, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { Clock, Health, Time } from "simplan"
import * as SystemApi from "../api/SystemApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as RateLimit from "../middleware/RateLimit.ts"
import * as Prometheus from "../middleware/Prometheus.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const up = { status: "ok" } as const

const notReady = new Errors.Problem({ code: "not_ready", message: "The service is starting or stopping" })
const outOfReach = new Errors.Problem({
  code: "storage_unavailable",
  message: "The storage is out of reach, or takes no writes"
})

/** What the metrics cost an address, in requests. */
const COST_OF_METRICS = 10

/**
 * `ready` says whether the process takes requests; readiness needs the storage as well. `limited`: the limit of the
 * client's address.
 */
export const make = (ready: Effect.Effect<boolean>, limited: RateLimit.AddressLimit) =>
  Effect.gen(function* () {
    const probe = yield* Health.StorageProbe
    const queues = yield* Health.QueueDepth
    const metrics = Prometheus.shared(Effect.andThen(queues.measure, Prometheus.format))

    const storageServes = probe.check.pipe(
      Effect.mapError(() => outOfReach),
      Effect.timeoutOrElse({ duration: "800 millis", orElse: () => outOfReach })
    )

    return Endpoints.group(SystemApi.SystemApi, Auth.anybody, {
      health: () => Effect.succeed(up),
      readiness: Effect.fnUntraced(function* () {
        if (!(yield* ready)) return yield* notReady
        yield* storageServes
        return up
      }),
      metrics: () =>
        limited(
          Effect.map(metrics, (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          ),
          COST_OF_METRICS
        )
    })
  })

const decodeAdvance = Body.closedDecoder(SystemApi.Advance)

const notOne = Errors.invalidField("to", "or by must be given, and not both")
const badDuration = Errors.invalidField("by", "must be a duration such as 12 hours")

const isDurationInput = (text: string): text is `${number} millis` =>
  /^\d+(?:\.\d+)? (?:nano|micro|milli|second|minute|hour|day|week)s?$/.test(text)

const millis = (text: string): number | undefined => {
  const duration = isDurationInput(text) ? Duration.fromInput(text) : Option.none()
  return Option.getOrUndefined(Option.map(duration, (value) => Math.round(Duration.toMillis(value))))
}

/** The handlers of the business clock. */
export const clock = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const business = yield* Clock.Clock

    const moved = Effect.fnUntraced(function* ({ by, to }: typeof SystemApi.Advance.Type) {
      const instant = Query.instant(to)
      if ((instant === null) === (by === undefined)) return yield* notOne
      if (instant !== null) return yield* business.advanceTo(instant)
      const span = millis(by ?? "")
      return span === undefined ? yield* badDuration : yield* business.advanceBy(span)
    })

    return Endpoints.group(SystemApi.ClockApi, guard, {
      read: Effect.fnUntraced(function* () {
        const { now, virtual } = yield* business.read
        return Responses.data({ now: Time.toIso(now), virtual })
      }),
      advance: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        const now = yield* moved(yield* decodeAdvance(value))
        return Responses.data({ now: Time.toIso(now) })
      })
    })
  })

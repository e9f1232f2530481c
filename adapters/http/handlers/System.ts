/**
 * Handlers of health, readiness and metrics.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { QueueDepth, StorageProbe } from "simplan"
import * as SystemApi from "../api/SystemApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as RateLimit from "../middleware/RateLimit.ts"
import * as Requests from "../middleware/Requests.ts"
import * as Errors from "../wire/Errors.ts"

const up = { status: "ok" } as const

const notReady = new Errors.Problem({ code: "not_ready", message: "The service is starting or stopping" })
const outOfReach = new Errors.Problem({
  code: "storage_unavailable",
  message: "The storage is out of reach, or takes no writes"
})

/** What the metrics cost an address, in requests: they are made anew for each. */
const COST_OF_METRICS = 10

/**
 * `ready` says whether the process takes requests; readiness needs the storage as well. `limited`: the limit of the
 * client's address.
 */
export const make = (ready: Effect.Effect<boolean>, limited: RateLimit.AddressLimit) =>
  Effect.gen(function* () {
    const probe = yield* StorageProbe.StorageProbe
    const queues = yield* QueueDepth.QueueDepth

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
          Effect.map(Effect.andThen(queues.measure, Requests.metrics), (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          ),
          COST_OF_METRICS
        )
    })
  })

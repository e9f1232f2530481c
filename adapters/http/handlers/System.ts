/**
 * Handlers of health, readiness and metrics.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { QueueDepth, Storage } from "simplan"
import { Api } from "../api/Api.ts"
import type * as SystemApi from "../api/SystemApi.ts"
import * as RequestMetrics from "../middleware/RequestMetrics.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as Responses from "../wire/Responses.ts"

const up = Responses.ok<typeof SystemApi.Status.Type>({ status: "ok" })

const notReady = new Errors.Problem({ code: "not_ready", message: "The service is starting or stopping" })
const outOfReach = new Errors.Problem({ code: "storage_unavailable", message: "The storage is out of reach" })

/** `ready` tells whether the process takes requests, whatever the storage says. */
export const layer = (ready: Effect.Effect<boolean>) =>
  HttpApiBuilder.group(
    Api,
    "system",
    Effect.fnUntraced(function* (handlers) {
      const storage = yield* Storage.Storage
      const queues = yield* QueueDepth.QueueDepth

      const storageAnswers = storage.ready.pipe(
        Effect.mapError(() => outOfReach),
        Effect.timeoutOrElse({ duration: "800 millis", orElse: () => outOfReach })
      )

      return handlers
        .handle("health", () => Effect.succeed(up))
        .handle(
          "readiness",
          Effect.fnUntraced(function* () {
            if (!(yield* ready)) return yield* notReady
            yield* storageAnswers
            return up
          }, ErrorResponses.handled)
        )
        .handle("metrics", () =>
          Effect.map(Effect.andThen(queues.measure, RequestMetrics.text), (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          )
        )
    })
  )

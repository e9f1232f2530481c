/**
 * Idempotency keys (rule W2). The edge names the key of the request in `CurrentRequest` and wraps
 * the use case in `once`. The first commit made inside carries the key's record.
 */
import { Context, Effect, Exit, Layer } from "effect"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Answers, IdempotencyRecord, RequestKey } from "../../domain/Idempotency.ts"
import * as Refusal from "../../domain/Refusal.ts"
import { BusinessClock, monotonicNow } from "../../ports/Clocks.ts"
import * as Storage from "../../ports/Storage.ts"
import { CurrentIdempotency, KeyTaken, putRecord, type ServedKey } from "./Served.ts"

/** The idempotency key of the request that the running fiber serves; null if it has none. */
export const CurrentRequest = Context.Reference<RequestKey | null>("simplan/IdempotencyKeys/CurrentRequest", {
  defaultValue: () => null
})

/** Gives repeated requests the first one's answer (rule W2). */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * Runs the use case once for each key. A repeated request gets the first answer, or the first
     * refusal as plain data. Fails with `IdempotencyKeyReused` if the key came with a different
     * request, and with `RequestInProgress` while the first request runs. Without a key in
     * `CurrentRequest` the use case runs each time. `onReplay` runs before the outcome of another
     * request is given, be it an answer or a refusal.
     */
    readonly once: <Kind extends keyof Answers, E, R>(
      kind: Kind,
      run: Effect.Effect<Answers[Kind], E, R>,
      onReplay?: Effect.Effect<void>
    ) => Effect.Effect<Answers[Kind], E | Refusal.Plain | Storage.StorageError, R>
  }
>()("simplan/IdempotencyKeys") {}

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory: the records are in
 * the storage, for all processes.
 */
export const layer: Layer.Layer<IdempotencyKeys, never, Storage.Storage | BusinessClock> = Layer.effect(
  IdempotencyKeys,
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const clock = yield* BusinessClock

    const known = Effect.fnUntraced(function* (request: RequestKey) {
      const record = yield* storage.idempotencyRecords.get(request)
      const now = yield* clock.now
      return record !== null && Idempotency.isKept(record, now) ? record : null
    })

    // The record of a request that ended without a commit of its own.
    const record = Effect.fnUntraced(function* (context: ServedKey, outcome: Idempotency.Outcome) {
      const put = putRecord(context, outcome, yield* clock.now)
      yield* Effect.catchTag(storage.commit({ idempotency: { put } }), "Conflict", () => Effect.die(new KeyTaken()))
    })

    const once = <Kind extends keyof Answers, E, R>(
      kind: Kind,
      run: Effect.Effect<Answers[Kind], E, R>,
      onReplay: Effect.Effect<void> = Effect.void
    ): Effect.Effect<Answers[Kind], E | Refusal.Plain | Storage.StorageError, R> =>
      Effect.gen(function* () {
        const request = yield* CurrentRequest
        if (request === null) return yield* run
        const replay = Effect.fnUntraced(function* (record: IdempotencyRecord) {
          const answered = Idempotency.answer(kind, record, request)
          if (Idempotency.isReplay(answered)) yield* onReplay
          return yield* Effect.fromResult(answered)
        })
        const before = yield* known(request)
        const machineNow = (yield* monotonicNow) + (yield* storage.clockOffset)
        const interrupted = before === null ? null : Idempotency.interruptedBy(before, request, machineNow)
        if (before !== null && interrupted === null) return yield* replay(before)
        const recording: ServedKey = { request, interrupted, done: { current: false } }
        const first = Effect.gen(function* () {
          const exit = yield* Effect.exit(Effect.provideService(run, CurrentIdempotency, recording))
          if (recording.done.current) return yield* exit
          if (Exit.isSuccess(exit)) {
            yield* record(recording, { _tag: "Succeeded", answer: Idempotency.kinds[kind].keep(exit.value) })
          } else {
            const refusal = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
            if (Idempotency.isFinal(refusal)) {
              yield* record(recording, { _tag: "Refused", refusal: Refusal.toPlain(refusal) })
            } else if (interrupted === null ? Idempotency.isOfStock(refusal) : Idempotency.isOfTwin(refusal)) {
              // Perhaps a twin has taken the last SIM, or has ended the attempt that both went on
              // with.
              const twin = yield* known(request)
              if (twin !== null) return yield* replay(twin)
            }
          }
          return yield* exit
        })
        return yield* Effect.catchDefect(first, (defect) =>
          Effect.gen(function* () {
            if (!(defect instanceof KeyTaken)) return yield* Effect.die(defect)
            const twin = yield* known(request)
            return yield* twin === null
              ? Effect.fail(new Refusal.RequestInProgress({ key: request.key }))
              : replay(twin)
          })
        )
      })

    return IdempotencyKeys.of({ once })
  })
)

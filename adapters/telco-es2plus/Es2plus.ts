/**
 * An SM-DP+ behind ES2+, as the part of the telco port that it serves: `releaseProfile`. It makes a
 * profile available for a new download, by the steps of `Release`.
 *
 * Each step is written to the journal before and after its call, so whichever process continues a
 * release knows what was asked. A release that has ended is answered from the journal, and the
 * SM-DP+ is not asked again. Calls about one SIM follow each other. Failures that leave the outcome
 * open are `Telco.Unavailable`, and the release goes on when the call comes again.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { ActivationCode, Clocks, Telco } from "simplan/ports"
import { Journal, CallFailure, SimLocks } from "../telco-calls/index.ts"
import * as Api from "./Api.ts"
import * as HttpApi from "./HttpApi.ts"
import * as Release from "./Release.ts"

/** The part of the telco port that an SM-DP+ serves. */
export class Profiles extends Context.Service<Profiles, Pick<Telco.Telco["Service"], "releaseProfile">>()(
  "simplan/TelcoEs2plus/Profiles"
) {}

/** How profiles are made available again. */
export interface ReleaseOptions {
  /** The name of the SM-DP+ in the settings: its place in the journal. */
  readonly telco: string
  /**
   * The matching id of a SIM's activation code (`matchingIdOf`). It keeps the code valid. Without
   * it the SM-DP+ chooses one, and the SIM needs a new activation code.
   */
  readonly matchingId?: (iccid: string) => Effect.Effect<string | null, Telco.Unavailable>
  /**
   * Whether `confirmOrder` releases the profile (the default); else `releaseProfile` is called
   * after it.
   */
  readonly confirmReleases?: boolean
  /** How late a call whose answer is missing may still take effect; 30 s unless given. */
  readonly quiet?: Duration.Input
}

/** How profiles are made available again, the connection, and who the caller is. */
export type Options = ReleaseOptions & HttpApi.Options

/** The matching id of an activation code; null if it has none. */
export const matchingIdOf = (lpa: string): string | null => ActivationCode.parse(lpa)?.matchingId || null

/**
 * How long after its intent a call may be made, in milliseconds. A process that stood still for
 * longer leaves the release to whichever process has gone on with it, because a cancellation made
 * then would end the new order.
 */
const STALE_MILLIS = 10_000

/** The `functionCallIdentifier` of a step: the same whenever the step is repeated. */
export const callId = (key: string, { cycle, step }: Pick<Release.Running, "cycle" | "step">): string => {
  const digest = createHash("sha256")
    .update(JSON.stringify([key, step, cycle]))
    .digest("hex")
  return `simplan-${digest.slice(0, 32)}`
}

/** What the journal has of a release. */
const Kept = Schema.Struct({
  /** The matching id that the profile is to have; null: the SM-DP+ chooses one. */
  matchingId: Schema.NullOr(Schema.String),
  release: Release.Release
})

type Kept = typeof Kept.Type

const encode = ({ matchingId, release }: Kept): Journal.Document => ({ matchingId, release: { ...release } })

const decode = Schema.decodeUnknownEffect(Kept)

interface Request {
  readonly key: string
  readonly iccid: string
}

interface Asked {
  readonly answer: Release.Answer
  /** The matching id that the profile has, if the answer has it. */
  readonly matchingId: string | null
}

const make = (options: ReleaseOptions) =>
  Effect.gen(function* () {
    const { confirmReleases = true, matchingId: chosen = () => Effect.succeed(null), quiet = "30 seconds" } = options
    const steps = { confirmReleases, quietMillis: Duration.toMillis(Duration.fromInputUnsafe(quiet)) }
    const api = yield* Api.Api
    const journal = yield* Journal.Journal
    const { withLock } = SimLocks.make(journal, { telco: options.telco })

    const ask = ({ iccid, key }: Request, matchingId: string | null, running: Release.Running) => {
      const call = { callId: callId(key, running), iccid }
      switch (running.step) {
        case "cancelOrder":
          return Effect.as(api.cancelOrder({ ...call, matchingId, finalStatus: "Available" }), null)
        case "downloadOrder":
          return Effect.as(api.downloadOrder(call), null)
        case "confirmOrder":
          return api.confirmOrder({ ...call, matchingId, isReleased: confirmReleases })
        case "releaseProfile":
          return Effect.as(api.releaseProfile(call), null)
      }
    }

    /** A failure that is an answer; the others leave the step open. */
    const answerOf = ({
      message,
      outcome,
      retryAfterSeconds
    }: Api.Failure): Effect.Effect<Asked, Telco.Unavailable> => {
      switch (outcome) {
        case "NotFound":
        case "Refused":
        case "WrongState":
          return Effect.succeed({ answer: { _tag: outcome, message }, matchingId: null })
        case "NotDone":
        case "Unknown":
          return Effect.fail(CallFailure.unavailable(message, retryAfterSeconds))
      }
    }

    const placeOf = (key: string) => ({ telco: options.telco, kind: Journal.RELEASE, key })

    /** The entry of the release; of a new one if there is none. */
    const entryOf = Effect.fnUntraced(function* ({ iccid, key }: Request) {
      const found = yield* journal.get(placeOf(key))
      if (found !== null) return found
      const kept = { matchingId: yield* chosen(iccid), release: Release.begin }
      const entry = { ...placeOf(key), iccid, externalId: null, document: encode(kept), dueAt: null }
      return (yield* journal.add(entry)) ?? (yield* CallFailure.unavailable("The release has been begun elsewhere", 1))
    })

    const write = Effect.fnUntraced(function* (entry: Journal.Entry, kept: Kept) {
      const replaced = yield* journal.replace({ ...entry, document: encode(kept) })
      return replaced ?? (yield* CallFailure.unavailable("The release goes on elsewhere", 1))
    })

    const warnOfMatchingId = (iccid: string, expected: string | null, actual: string | null) =>
      actual === null || actual === expected
        ? Effect.void
        : Effect.logWarning(
            "the SM-DP+ has given a profile another matching id than that of its activation code: import the SIM's new code",
            { iccid }
          )

    const release = Effect.fnUntraced(function* (request: Request) {
      let entry = yield* entryOf(request)
      const { matchingId, ...begun } = yield* decode(entry.document)
      let current = begun.release
      while (current._tag === "Running") {
        const began = yield* Clocks.monotonicNow
        const now = yield* Clock.currentTimeMillis
        const wait = Release.wait(current, now)
        if (wait > 0) {
          return yield* CallFailure.unavailable(
            "The profile is ordered anew when an earlier call can have no effect any more",
            Math.ceil(wait / 1_000)
          )
        }
        const before: Release.Running = current
        const asking = Release.asking(before, now, steps)
        entry = yield* write(entry, { matchingId, release: asking })
        if ((yield* Clocks.monotonicNow) - began > STALE_MILLIS) {
          return yield* CallFailure.unavailable("The process stood still before a call to the SM-DP+", 1)
        }
        const { answer, matchingId: actual } = yield* ask(request, matchingId, asking).pipe(
          Effect.map((given): Asked => ({ answer: { _tag: "Done" }, matchingId: given })),
          Effect.catch((failure) =>
            failure.outcome === "NotDone"
              ? Effect.andThen(write(entry, { matchingId, release: before }), answerOf(failure))
              : answerOf(failure)
          )
        )
        yield* warnOfMatchingId(request.iccid, matchingId, actual)
        current = Release.answered(asking, answer, steps)
        entry = yield* write(entry, { matchingId, release: current })
      }
      if (current._tag === "Refused") return yield* new Telco.Refused({ message: current.message })
    })

    return Profiles.of({
      releaseProfile: Effect.fn("TelcoEs2plus.releaseProfile")(
        (request) => withLock(request.iccid, () => release(request)),
        Effect.catchTags({
          JournalError: ({ message }) => Effect.fail(CallFailure.unavailable(`The journal of calls: ${message}`)),
          SchemaError: () => Effect.fail(CallFailure.unavailable("The journal has a release that cannot be read"))
        })
      )
    })
  })

/** Over the functions of ES2+ and a journal. */
export const layerWithoutApi = (options: ReleaseOptions): Layer.Layer<Profiles, never, Api.Api | Journal.Journal> =>
  Layer.effect(Profiles, make(options))

/**
 * Over HTTPS and a journal, with the functions of ES2+. Fails if the key and the certificate
 * cannot be used.
 */
export const layer = (options: Options): Layer.Layer<Profiles | Api.Api, HttpApi.InvalidCredentials, Journal.Journal> =>
  Layer.provideMerge(layerWithoutApi(options), HttpApi.layer(options))

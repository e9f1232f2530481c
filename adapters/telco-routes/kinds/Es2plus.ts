/**
 * An SM-DP+ of the settings file.
 */
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { Refusal } from "simplan"
import { Storage, Telco } from "simplan/ports"
import { CallGate, type Journal } from "../../telco-calls/index.ts"
import { Api, DownloadProgress, Es2plus } from "../../telco-es2plus/index.ts"
import * as Connected from "../Connected.ts"
import type * as Settings from "../Settings.ts"
import type * as RoutedTelco from "../RoutedTelco.ts"

const text = (secret: Redacted.Redacted): string => `${Redacted.value(secret)}\n`

/** The matching id of a SIM's activation code, from the inventory. */
const matchingIds =
  ({ simAggregates }: Storage.Storage["Service"]) =>
  (iccid: string): Effect.Effect<string | null, Telco.Unavailable> =>
    Effect.gen(function* () {
      const owner = yield* simAggregates.owner(iccid)
      const found = owner === null ? null : yield* simAggregates.get({ ...owner, iccid })
      const lpa = found?.sim.lpa ?? null
      return lpa === null ? null : Es2plus.matchingIdOf(lpa)
    }).pipe(Effect.mapError(({ message }) => new Telco.Unavailable({ message })))

export const connect = (
  of: Settings.Of<"es2plus">,
  { mayReport }: RoutedTelco.Identities
): Effect.Effect<Connected.Connected, Connected.CannotConnect, Journal.Journal | Storage.Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const { ca, certificate, name, notificationSecret, ...rest } = of
    const options: Es2plus.Options = {
      ...rest,
      telco: name,
      timeout: of.timeoutMillis,
      matchingId: matchingIds(yield* Storage.Storage),
      ...(certificate !== undefined && { certificate: text(certificate) }),
      ...(ca !== undefined && { ca: text(ca) })
    }
    const context = yield* Effect.mapError(
      Layer.build(Layer.fresh(Es2plus.layer(options))),
      ({ message }) => new Connected.CannotConnect({ message: `telcos.${name}: ${message}` })
    )
    const { releaseProfile } = Context.get(context, Es2plus.Profiles)
    const gate = yield* CallGate.make({
      telco: name,
      concurrency: of.callsAtOnce,
      callsPerSecond: Number.POSITIVE_INFINITY
    })
    const take = (body: unknown) =>
      Effect.gen(function* () {
        const isSupplied = mayReport(name, ["profiles"])
        const progress = yield* DownloadProgress.make({ states: of.states, timeZone: of.timeZone, isSupplied })
        const { message, status } = yield* progress.take(body)
        if (status === 400) {
          const reason = message === null ? "" : `: ${message.replace(/\s+/g, " ")}`
          return yield* new Refusal.InvalidField({
            field: "body",
            message: `must be a notification of SGP.22${reason}`
          })
        }
        if (status === 503)
          return yield* new Storage.StorageError({ message: message ?? "The storage is not available" })
        return { status, body: null }
      })
    return {
      ...Connected.onlyCalls,
      name,
      kind: "es2plus",
      telco: gate.around({ ...Connected.unsupported(name), releaseProfile }),
      notifications: notificationSecret === null ? null : { secret: notificationSecret, take },
      check: Effect.match(Context.get(context, Api.Api).check, {
        onSuccess: () => [{ what: "profiles", works: true, message: "answers, and takes the certificate" }],
        onFailure: ({ message }) => [{ what: "profiles", works: false, message }]
      })
    }
  })

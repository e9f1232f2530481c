/**
 * Refused ends of packages, so that a suspension or cancellation stays refused by its key (rule S6). Others are not kept:
 * they may be repeated.
 */
import { Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import { CallKinds, Journal, PortFailure } from "../../telco-calls/index.ts"
import { Settings } from "../Settings.ts"

const Refusal = Schema.Struct({ message: Schema.String })

const decode = Schema.decodeUnknownEffect(Refusal)

export const make = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal

  return {
    /** Ends a package, unless that was refused under the same key. */
    once: Effect.fnUntraced(function* (
      operation: "suspend" | "cancel",
      { iccid, key, packageId }: Telco.PackageRef,
      end: Effect.Effect<void, PortFailure.TelcoFailure>
    ) {
      const place = { telco, kind: CallKinds.END, key: `${operation}/${key ?? packageId}` }
      const entry = yield* PortFailure.journal(journal.get(place))
      if (entry !== null) {
        const { message } = yield* Effect.mapError(decode(entry.document), () =>
          PortFailure.unavailable("The refusal's entry has another form")
        )
        return yield* new Telco.Refused({ message })
      }
      return yield* Effect.tapErrorTag(end, "Telco.Refused", ({ message }) =>
        PortFailure.journal(journal.add({ ...place, iccid, externalId: null, document: { message }, dueAt: null }))
      )
    })
  }
})

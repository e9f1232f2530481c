/**
 * The zones of custom regions that were set at one telco. The telco's adapter keeps each of them; the list of them all is an
 * entry of its own in the journal.
 */
import { Effect, Schema } from "effect"
import type { Refusal } from "simplan"
import { Label, Storage } from "simplan/ports"
import { Journal } from "../telco-calls/index.ts"
import type { Zone, Zones } from "./Connected.ts"

const Document = Schema.Struct({
  zones: Schema.Array(
    Schema.Struct({ label: Schema.Literals(Label.labels), coverageId: Schema.String, zoneId: Schema.Finite })
  )
})

const decode = Schema.decodeUnknownOption(Document)

const zonesOf = (entry: Journal.Entry | null): ReadonlyArray<Zone> => {
  const document = decode(entry?.document)
  return document._tag === "Some" ? document.value.zones : []
}

const isSame = (left: Zone, right: Zone): boolean => left.label === right.label && left.coverageId === right.coverageId

const keyOf = ({ coverageId, label }: Zone): string => `${label}/${coverageId}`

interface Of {
  /** Refuses a zone that the telco has not. */
  readonly check: (zone: Zone) => Effect.Effect<void, Refusal.InvalidField>
  /** What the adapter knows the zones by. */
  readonly set: (zone: Zone) => Effect.Effect<void, Journal.JournalError>
}

export const make = (telco: string, journal: Journal.Journal["Service"], of: Of): Zones => {
  const place = { telco, kind: "zones", key: "list" }

  const add = (zone: Zone): Effect.Effect<void, Journal.JournalError> =>
    Effect.gen(function* () {
      for (;;) {
        const entry = yield* journal.get(place)
        const zones = [...zonesOf(entry).filter((one) => !isSame(one, zone)), zone].toSorted((left, right) =>
          keyOf(left) < keyOf(right) ? -1 : 1
        )
        const next = {
          ...place,
          iccid: null,
          externalId: null,
          dueAt: null,
          document: { zones: zones.map((one) => ({ ...one })) }
        }
        const written =
          entry === null ? yield* journal.add(next) : yield* journal.replace({ ...next, version: entry.version })
        if (written !== null) return
      }
    })

  const stored = <A>(effect: Effect.Effect<A, Journal.JournalError>) =>
    Effect.mapError(effect, ({ cause, message }) => new Storage.StorageError({ message, cause }))

  return {
    set: (zone, record) => {
      const recorded = Effect.mapError(record, ({ cause, message }) => new Journal.JournalError({ message, cause }))
      return Effect.andThen(
        of.check(zone),
        stored(journal.together(Effect.all([of.set(zone), add(zone), recorded], { discard: true })))
      )
    },
    list: stored(Effect.map(journal.get(place), zonesOf))
  }
}

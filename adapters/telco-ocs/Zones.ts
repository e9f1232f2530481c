/**
 * The location zone of each coverage profile: from the settings by label and region code, or, for a
 * custom region, set by label and coverage id and kept in the journal under the kind `zone`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type Plan, Telco } from "simplan/ports"
import { CallFailure, Journal } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import { Settings } from "./Settings.ts"

/** Of the journal's entries of custom regions' zones. */
export const KIND = "zone"

const Document = Schema.Struct({ zoneId: Schema.Finite })

const decode = Schema.decodeUnknownOption(Document)

/** A zone that the settings name and the system does not have. */
export interface Missing {
  /** Under which the settings name it. */
  readonly label: string
  /** The coverage profile's. */
  readonly regionCode: string
  /** What the settings name. */
  readonly zoneId: number
}

/** The location zones of coverage profiles. */
export class Zones extends Context.Service<
  Zones,
  {
    /**
     * The zone of a plan's terms. `Refused` if none is set, naming label, region code and coverage
     * id.
     */
    readonly of: (
      terms: Pick<Plan.PlanTerms, "label" | "regionCode" | "coverageId">
    ) => Effect.Effect<number, Telco.Refused | Telco.Unavailable>
    /**
     * Sets a custom region's zone; the last one set counts. Packages that were ordered before keep
     * theirs.
     */
    readonly set: (zone: {
      readonly label: string
      readonly coverageId: string
      readonly zoneId: number
    }) => Effect.Effect<void, Journal.JournalError>
    /** The zones of the settings that the system does not have. */
    readonly check: Effect.Effect<ReadonlyArray<Missing>, CallFailure.CallFailure>
  }
>()("simplan/TelcoOcs/Zones") {}

/** What an operator reads of missing zones, one a line. */
export const describe = (missing: ReadonlyArray<Missing>): string =>
  missing
    .map(({ label, regionCode, zoneId }) => `label ${label}, region ${regionCode}: there is no location zone ${zoneId}`)
    .join("\n")

const make = Effect.gen(function* () {
  const { telco, zones } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api

  const place = (label: string, coverageId: string): Journal.Place => ({
    telco,
    kind: KIND,
    key: `${label}/${coverageId}`
  })

  return Zones.of({
    of: Effect.fnUntraced(function* ({ coverageId, label, regionCode }) {
      const entry = yield* CallFailure.ofJournal(journal.get(place(label, coverageId)))
      const own = decode(entry?.document)
      if (own._tag === "Some") return own.value.zoneId
      const mapped = new Map(Object.entries(zones[label] ?? {})).get(regionCode)
      if (mapped !== undefined) return mapped
      return yield* new Telco.Refused({
        message: `No location zone of ${telco} is set for label ${label}, region ${regionCode}, coverage ${coverageId}`
      })
    }),
    set: ({ coverageId, label, zoneId }) =>
      Journal.change(journal, place(label, coverageId), () => ({
        iccid: null,
        externalId: null,
        document: { zoneId },
        dueAt: null
      })),
    check: Effect.map(api.zones, (all) => {
      const ids = new Set(all.map(({ id }) => id))
      return Object.entries(zones).flatMap(([label, regions]) =>
        Object.entries(regions)
          .filter(([, zoneId]) => !ids.has(zoneId))
          .map(([regionCode, zoneId]) => ({ label, regionCode, zoneId }))
      )
    })
  })
})

/** Needs the API, the journal and the settings of one OCS. */
export const layer: Layer.Layer<Zones, never, Api.Api | Journal.Journal | Settings> = Layer.effect(Zones, make)

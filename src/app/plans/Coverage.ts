/**
 * Coverage profiles: the catalogue's standard ones and an organization's custom regions (rules I3
 * and I4).
 */
import { Context, Effect, Layer, Stream } from "effect"
import { type CoveredCountry, coveredCountry, type Index, operatorsOf } from "../../domain/Catalogue.ts"
import { kinds } from "../../domain/Idempotency.ts"
import type { Label } from "../../domain/Label.ts"
import {
  type InvalidField,
  NotFound,
  type QuotaExceeded,
  type RegionExists,
  type RegionNameTaken,
  type RegionUncovered
} from "../../domain/Refusal.ts"
import * as RegionRules from "../../domain/Region.ts"
import type { Region } from "../../domain/Region.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import { Catalogues } from "./Catalogues.ts"
import { Commits } from "../commit/Commits.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"

/** A profile with its countries, and in each the operators that serve its label. */
export interface Profile {
  /** What plans name it by. */
  readonly coverageId: string
  /** The label of the SIMs that it is for. */
  readonly label: Label
  /** Such as `Europe`; of a custom region the organization's own name. */
  readonly regionName: string
  /** What plans copy, and telcos find their zone by. */
  readonly regionCode: string
  /** Each with the operators that the label may use there. */
  readonly countries: ReadonlyArray<CoveredCountry>
}

/** The fields that standard profiles and custom regions share. */
export type Area = Pick<Region, "coverageId" | "label" | "regionName" | "regionCode" | "iso2List">

interface OfProfile {
  readonly organizationId: string
  readonly coverageId: string
}

/** Reads coverage profiles, and makes custom regions (rules I3 and I4). */
export class Coverage extends Context.Service<
  Coverage,
  {
    /** Standard profiles first, then custom ones by creation. */
    readonly list: (of: {
      readonly organizationId: string
      readonly regionCode: string | null
      readonly label: string | null
    }) => Stream.Stream<Profile, StorageError>
    /** A standard profile, or a custom region of this organization; another's is `NotFound`. */
    readonly get: (of: OfProfile) => Effect.Effect<Profile, NotFound | StorageError>
    /**
     * A profile by its id alone, with the organization whose custom region it is, null for a
     * standard one; for operators.
     */
    readonly find: (
      coverageId: string
    ) => Effect.Effect<{ readonly organizationId: string | null; readonly label: Label }, NotFound | StorageError>
    /** The profile without its countries' operators. */
    readonly area: (of: OfProfile) => Effect.Effect<Area, NotFound | StorageError>
    /**
     * The profile of those of the countries that the label covers (rule P6): `made` is it if it is
     * a custom region that is not stored yet.
     */
    readonly covering: (
      request: RegionRules.Request
    ) => Effect.Effect<
      { readonly area: RegionRules.Covering; readonly made: Region | null },
      InvalidField | StorageError
    >
    /** Makes a custom region, for good. Rule I4 says what is refused, and in which order. */
    readonly createRegion: (request: {
      readonly organizationId: string
      readonly regionName: string
      readonly label: Label
      readonly iso2List: ReadonlyArray<string>
    }) => Effect.Effect<
      Region,
      InvalidField | NotFound | RegionNameTaken | RegionUncovered | RegionExists | QuotaExceeded | StorageError
    >
  }
>()("simplan/Coverage") {}

const profileOf = (catalogue: Index, { iso2List, ...area }: Area): Profile => ({
  coverageId: area.coverageId,
  label: area.label,
  regionName: area.regionName,
  regionCode: area.regionCode,
  countries: iso2List.flatMap((iso2) => coveredCountry(catalogue, iso2, area.label) ?? [])
})

type Needs = Storage | BusinessClock | Ids | Commits | Catalogues | Organizations

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory: custom regions are
 * read each time.
 */
export const layer: Layer.Layer<Coverage, never, Needs> = Layer.effect(
  Coverage,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const catalogues = yield* Catalogues
    const organizations = yield* Organizations

    const area = Effect.fnUntraced(function* (of: OfProfile): Effect.fn.Return<Area, NotFound | StorageError> {
      const standard = (yield* catalogues.current).profileById.get(of.coverageId)
      const found = standard ?? (yield* storage.regions.get(of))
      return found ?? (yield* new NotFound({ resource: "coverage profile", id: of.coverageId }))
    })

    const newIds = Effect.fnUntraced(function* (now: Instant, organizationId: string) {
      const coverageId = yield* ids.next(now, organizationId)
      return { coverageId, regionCode: `CUSTOM_${coverageId.replaceAll("-", "").slice(-12).toUpperCase()}` }
    })

    return Coverage.of({
      area,
      covering: Effect.fnUntraced(function* ({ iso2List, label, ...request }) {
        const catalogue = yield* catalogues.current
        const covered = iso2List.filter((iso2) => operatorsOf(catalogue, iso2, label).length > 0)
        const wanted = { ...request, label, iso2List: covered }
        const alike = yield* storage.regions.like(wanted)
        const now = yield* clock.now
        const fresh = yield* newIds(now, request.organizationId)
        return yield* Effect.fromResult(RegionRules.covering(wanted, alike, catalogue, fresh, now))
      }),
      find: Effect.fn("Coverage.find")(function* (coverageId) {
        const standard = (yield* catalogues.current).profileById.get(coverageId)
        if (standard !== undefined) return { organizationId: null, label: standard.label }
        const region = yield* storage.regions.find(coverageId)
        return region ?? (yield* new NotFound({ resource: "coverage profile", id: coverageId }))
      }),
      list: ({ label, organizationId, regionCode }) =>
        Stream.unwrap(
          Effect.map(catalogues.current, (catalogue) => {
            const asked = (area: Area) =>
              (label === null || area.label === label) && (regionCode === null || area.regionCode === regionCode)
            const regions = Paging.stream(
              (after: CreatedCursor | null, limit) => storage.regions.page({ organizationId, after, limit }),
              ({ coverageId, createdAt }) => ({ createdAt, id: coverageId })
            )
            return Stream.fromIterable(catalogue.profiles).pipe(
              Stream.concat(regions),
              Stream.filter(asked),
              // A profile can be large, so each is made when it is asked for.
              Stream.rechunk(1),
              Stream.map((area) => profileOf(catalogue, area))
            )
          })
        ),
      get: Effect.fn("Coverage.get")(function* (of) {
        return profileOf(yield* catalogues.current, yield* area(of))
      }),
      createRegion: Effect.fn("Coverage.createRegion")(function* (request) {
        const wanted = yield* Effect.fromResult(RegionRules.normalize(request))
        yield* organizations.check(wanted)
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const alike = yield* storage.regions.like(wanted)
            const catalogue = yield* catalogues.current
            const now = yield* clock.now
            const fresh = yield* newIds(now, request.organizationId)
            const region = yield* Effect.fromResult(RegionRules.create(wanted, alike, catalogue, fresh, now))
            const { coverageId, organizationId } = region
            yield* organizations.checkQuota({ organizationId, kind: "regions" })
            const change = {
              organizationId,
              action: "coverage_profile.create",
              resourceId: coverageId,
              iccid: null
            } as const
            const commit = yield* commits.audited({ regions: [region] }, change, now)
            yield* commits.write(commit, kinds.Region.keep(region))
            return region
          })
        )
      })
    })
  })
)

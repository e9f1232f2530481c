/**
 * The current catalogue: the stored one, or the built-in one as long as none is stored. Each
 * process caches it with its indexes, and sees within 5 s that another process has replaced it.
 */
import { Cache, Context, Effect, Exit, Layer, Option } from "effect"
import { type Change, differences, SERVICE } from "../../domain/AuditEntry.ts"
import { type Catalogue, checkTexts, type Index, index } from "../../domain/Catalogue.ts"
import type { Use } from "../../domain/Plan.ts"
import type { ChangedMeanwhile, InvalidField } from "../../domain/Refusal.ts"
import * as Version from "../../domain/Version.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as CommittedCache from "../commit/CommittedCache.ts"
import { Settings } from "../Settings.ts"

/** The catalogue that the service starts with. */
export class BuiltIn extends Context.Service<
  BuiltIn,
  {
    /** Read once, when it is first needed. */
    readonly catalogue: Effect.Effect<Catalogue>
  }
>()("simplan/Catalogues/BuiltIn") {}

/** A catalogue, and its version. */
export interface Versioned {
  /** The catalogue with its indexes. */
  readonly index: Index
  /** How often it was replaced. */
  readonly version: number
}

/** Reads and replaces the catalogue (rules I3 and S9). */
export class Catalogues extends Context.Service<
  Catalogues,
  {
    /** The catalogue in force, with its indexes. */
    readonly current: Effect.Effect<Index, StorageError>
    /** The catalogue in force with its version; 0 is the built-in one. */
    readonly versioned: Effect.Effect<Versioned, StorageError>
    /** How many plans of all organizations have each coverage profile, before profiles go. */
    readonly uses: Effect.Effect<ReadonlyArray<Use>, StorageError>
    /** What `replace` would give now, or its refusal (rule S9). */
    readonly preview: (
      catalogue: Catalogue,
      ifVersion?: Version.Expected
    ) => Effect.Effect<Versioned, ChangedMeanwhile | InvalidField | StorageError>
    /**
     * Refuses a catalogue of which a name is too long (rule W9), and to replace a version that
     * `ifVersion` does not have (rule W16).
     */
    readonly replace: (
      catalogue: Catalogue,
      ifVersion?: Version.Expected
    ) => Effect.Effect<Versioned, ChangedMeanwhile | InvalidField | StorageError>
  }
>()("simplan/Catalogues") {}

/** The built-in catalogue has the version 0. */
const replacement = (version: number): Change => ({
  organizationId: SERVICE,
  action: "catalogue.replace",
  resourceId: SERVICE,
  iccid: null,
  changed: differences({ version: String(version) }, { version: String(version + 1) })
})

/**
 * The implementation that `Services.layer` provides. Each build caches the catalogue and its
 * indexes for itself.
 */
export const layer: Layer.Layer<Catalogues, never, Storage | BuiltIn | BusinessClock | Commits> = Layer.effect(
  Catalogues,
  Effect.gen(function* () {
    const storage = yield* Storage
    const builtIn = yield* BuiltIn
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const inTransaction = yield* HostTransaction
    const { cacheMillis } = yield* Settings

    const version = yield* CommittedCache.make(storage.watch, (_: "current") => storage.catalogues.version, {
      capacity: 1,
      emptiedBy: "catalogue",
      keepMillis: () => cacheMillis
    })

    const load = Effect.fnUntraced(function* (version: number) {
      const stored = version === 0 ? null : yield* storage.catalogues.get
      return index(stored ?? (yield* builtIn.catalogue))
    })
    const indexes = yield* Cache.makeWith(load, {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0)
    })

    // A transaction of the host that has replaced the catalogue may be rolled back, and then
    // another has that version.
    const indexed = Effect.fnUntraced(function* (version: number) {
      if (version === 0 || !(yield* inTransaction)) return yield* Cache.get(indexes, version)
      const known = yield* Cache.getSuccess(indexes, version)
      return Option.isSome(known) ? known.value : yield* load(version)
    })

    const current = Effect.flatMap(version("current"), indexed)

    /** The version that is stored, if it may be replaced. */
    const replaceable = Effect.fnUntraced(function* (catalogue: Catalogue, expected: Version.Expected) {
      yield* Effect.fromResult(checkTexts(catalogue))
      const version = yield* storage.catalogues.version
      yield* Effect.fromResult(Version.check("catalogue", version, expected))
      return version
    })

    return Catalogues.of({
      current,
      uses: storage.plans.uses,
      versioned: Effect.flatMap(version("current"), (version) =>
        Effect.map(indexed(version), (index) => ({ index, version }))
      ),
      preview: Effect.fn("Catalogues.preview")(function* (catalogue: Catalogue, ifVersion?: Version.Expected) {
        return { index: index(catalogue), version: (yield* replaceable(catalogue, ifVersion)) + 1 }
      }),
      replace: Effect.fn("Catalogues.replace")(function* (catalogue: Catalogue, ifVersion?: Version.Expected) {
        const replaced = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const catalogueVersion = yield* replaceable(catalogue, ifVersion)
            const now = yield* clock.now
            const change = replacement(catalogueVersion)
            yield* commits.write(yield* commits.audited({ catalogue, catalogueVersion }, change, now))
            return catalogueVersion
          })
        )
        return { index: index(catalogue), version: replaced + 1 }
      })
    })
  })
)

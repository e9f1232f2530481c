/**
 * The current catalogue: the stored one, or the built-in one as long as none is stored. Each process caches it with its
 * indexes, and sees within 5 s that another process has replaced it.
 */
import { Cache, Context, Effect, Exit, Layer, Option } from "effect"
import { type Change, SERVICE } from "../../domain/AuditEntry.ts"
import { type Catalogue, checkTexts, type Index, index } from "../../domain/Catalogue.ts"
import type { InvalidField } from "../../domain/Refusal.ts"
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

/** Reads and replaces the catalogue (rules I3 and S9). */
export class Catalogues extends Context.Service<
  Catalogues,
  {
    /** The catalogue in force, with its indexes. */
    readonly current: Effect.Effect<Index, StorageError>
    /** What `replace` would give now, or its refusal (rule S9). */
    readonly preview: (catalogue: Catalogue) => Effect.Effect<Index, InvalidField>
    /** Refuses a catalogue of which a name is too long (rule W9). */
    readonly replace: (catalogue: Catalogue) => Effect.Effect<Index, InvalidField | StorageError>
  }
>()("simplan/Catalogues") {}

const replacement: Change = { organizationId: SERVICE, action: "catalogue.replace", resourceId: SERVICE, iccid: null }

/** The implementation that `Services.layer` provides. Each build caches the catalogue and its indexes for itself. */
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

    // A transaction of the host that has replaced the catalogue may be rolled back, and then another has that version.
    const indexed = Effect.fnUntraced(function* (version: number) {
      if (version === 0 || !(yield* inTransaction)) return yield* Cache.get(indexes, version)
      const known = yield* Cache.getSuccess(indexes, version)
      return Option.isSome(known) ? known.value : yield* load(version)
    })

    const current = Effect.flatMap(version("current"), indexed)

    return Catalogues.of({
      current,
      preview: (catalogue) => Effect.map(Effect.fromResult(checkTexts(catalogue)), () => index(catalogue)),
      replace: Effect.fn("Catalogues.replace")(function* (catalogue: Catalogue) {
        yield* Effect.fromResult(checkTexts(catalogue))
        const commit = yield* commits.audited({ catalogue }, replacement, yield* clock.now)
        yield* commits.retryOnConflict(commits.write(commit))
        return yield* current
      })
    })
  })
)

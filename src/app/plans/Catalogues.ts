/**
 * The catalogue in force: the stored one, or the built-in one while none was stored. Each process keeps it with its
 * look-ups in memory and notices within 5 s that another has replaced it.
 */
import { Clock as MachineClock, Context, Effect, Layer } from "effect"
import { type Catalogue, type Index, index } from "../../domain/Catalogue.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Settings } from "../Settings.ts"

/** The catalogue that the service starts with. */
export class BuiltIn extends Context.Service<BuiltIn, { readonly catalogue: Effect.Effect<Catalogue> }>()(
  "simplan/Catalogues/BuiltIn"
) {}

export class Catalogues extends Context.Service<
  Catalogues,
  {
    readonly current: Effect.Effect<Index, StorageError>
    readonly replace: (catalogue: Catalogue) => Effect.Effect<Index, StorageError>
  }
>()("simplan/Catalogues") {}

interface Cached {
  readonly version: number
  readonly index: Index
  readonly checkedAt: number
  /** How often a change had been heard of when it was checked. */
  readonly changes: number
}

export const layer: Layer.Layer<Catalogues, never, Storage | BuiltIn | Commits> = Layer.effect(
  Catalogues,
  Effect.gen(function* () {
    const storage = yield* Storage
    const builtIn = yield* BuiltIn
    const commits = yield* Commits
    const { cacheMillis } = yield* Settings
    let cached: Cached | null = null
    // Should nothing be heard of a change, the catalogue is believed for a moment only.
    let changes = 0
    yield* storage.watch(({ catalogue }) => {
      if (catalogue) changes += 1
    })

    const load = Effect.fnUntraced(function* (version: number) {
      const stored = version === 0 ? null : yield* storage.catalogues.get
      return index(stored ?? (yield* builtIn.catalogue))
    })

    const current = Effect.gen(function* () {
      const checkedAt = yield* MachineClock.currentTimeMillis
      const isFresh = cached?.changes === changes && checkedAt - cached.checkedAt < cacheMillis
      if (cached !== null && isFresh) return cached.index
      const heard = changes
      const version = yield* storage.catalogues.version
      const loaded = cached?.version === version ? cached.index : yield* load(version)
      cached = { version, index: loaded, checkedAt, changes: heard }
      return loaded
    })

    return Catalogues.of({
      current,
      replace: Effect.fn("Catalogues.replace")(function* (catalogue: Catalogue) {
        yield* commits.retryOnConflict(commits.write({ catalogue }))
        return yield* current
      })
    })
  })
)

/**
 * The current catalogue: the stored one, or the built-in one as long as none is stored. Each process caches it with its
 * indexes, and sees within 5 s that another process has replaced it.
 */
import { Cache, Context, Effect, Exit, Layer } from "effect"
import { type Catalogue, checkTexts, type Index, index } from "../../domain/Catalogue.ts"
import type { InvalidField } from "../../domain/Refusal.ts"
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
    /** Refuses a catalogue of which a name is too long (rule W9). */
    readonly replace: (catalogue: Catalogue) => Effect.Effect<Index, InvalidField | StorageError>
  }
>()("simplan/Catalogues") {}

export const layer: Layer.Layer<Catalogues, never, Storage | BuiltIn | Commits> = Layer.effect(
  Catalogues,
  Effect.gen(function* () {
    const storage = yield* Storage
    const builtIn = yield* BuiltIn
    const commits = yield* Commits
    const { cacheMillis } = yield* Settings

    // If the news of a change is lost, a version lives for `cacheMillis`.
    const versions = yield* Cache.makeWith((_: "current") => storage.catalogues.version, {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheMillis : 0)
    })
    yield* storage.watch(({ catalogue }) => {
      if (catalogue) Effect.runSync(Cache.invalidateAll(versions))
    })

    const load = Effect.fnUntraced(function* (version: number) {
      const stored = version === 0 ? null : yield* storage.catalogues.get
      return index(stored ?? (yield* builtIn.catalogue))
    })
    const indexes = yield* Cache.makeWith(load, {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0)
    })

    const current = Effect.flatMap(Cache.get(versions, "current"), (version) => Cache.get(indexes, version))

    return Catalogues.of({
      current,
      replace: Effect.fn("Catalogues.replace")(function* (catalogue: Catalogue) {
        yield* Effect.fromResult(checkTexts(catalogue))
        yield* commits.retryOnConflict(commits.write({ catalogue }))
        return yield* current
      })
    })
  })
)

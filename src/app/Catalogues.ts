/**
 * The catalogue in force: the stored one, or the built-in one while none was stored. Each process keeps it with its
 * look-ups in memory and notices within 5 s that another has replaced it.
 */
import { Context, type Effect } from "effect"
import type { Catalogue, Index } from "../domain/Catalogue.ts"
import type { StorageError } from "../ports/Storage.ts"

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

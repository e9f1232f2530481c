/**
 * The catalogue.
 */
import { Effect } from "effect"
import { Catalogues } from "simplan"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Shapes from "../shapes/Catalogues.ts"
import type * as Types from "../types/Coverage.ts"

const nothing = Arguments.decoder(Arguments.Nothing)

const service = Catalogues.Catalogues

// The file's own format says what is wrong with a catalogue.
const anything = (_: string, request: unknown): object => ({ request })

export const make = (runtime: Runtime): Types.Catalogues => {
  const current = Methods.reading(runtime, { name: "catalogues.current", decode: nothing }, () =>
    Effect.flatMap(service, (catalogues) => Effect.map(catalogues.current, Shapes.catalogue))
  )
  return {
    current: (options) => current({}, options),
    replace: async (catalogue, options) => {
      const complete = await Shapes.complete("catalogues.replace", catalogue)
      const replace = Methods.writing(runtime, { name: "catalogues.replace", decode: anything }, () =>
        Methods.done(Effect.flatMap(service, (catalogues) => catalogues.replace(complete)))
      )
      return replace(catalogue, options)
    }
  }
}

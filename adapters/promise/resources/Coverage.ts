/**
 * Coverage profiles.
 */
import { Effect, Schema, Stream } from "effect"
import { Coverage } from "simplan"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Shapes from "../shapes/Catalogues.ts"
import type * as Types from "../types/Coverage.ts"

const filter = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    label: Schema.optional(Arguments.AnyLabel),
    regionCode: Arguments.Filter
  })
)
const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, coverageId: Arguments.Id }))

/** A region to create, checked. Throws an `InvalidFieldError`. */
export const creation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    regionName: Arguments.Name,
    label: Arguments.AnyLabel,
    iso2List: Schema.Array(Arguments.Id)
  })
)

const service = Coverage.Coverage

export const make = (runtime: Runtime): Types.Coverage => ({
  list: Methods.streaming(
    runtime,
    { name: "coverage.list", decode: filter },
    ({ label = null, organizationId, regionCode = null }) =>
      Effect.map(service, (coverage) =>
        Stream.map(coverage.list({ organizationId, label, regionCode }), Shapes.profile)
      )
  ),
  get: Methods.reading(runtime, { name: "coverage.get", decode: named }, (of) =>
    Effect.flatMap(service, (coverage) => Effect.map(coverage.get(of), Shapes.profile))
  ),
  createRegion: Methods.writing(runtime, { name: "coverage.createRegion", decode: creation }, (request) =>
    Methods.once(
      "Region",
      Effect.flatMap(service, (coverage) => coverage.createRegion(request)),
      (region) => Effect.succeed(Shapes.region(region))
    )
  )
})

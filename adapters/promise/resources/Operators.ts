/**
 * Mobile network operators.
 */
import { Effect, Schema, Stream } from "effect"
import { Operators } from "simplan"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Shapes from "../shapes/Catalogues.ts"
import type * as Types from "../types/Coverage.ts"

const filter = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    label: Schema.optional(Arguments.AnyLabel),
    country: Arguments.Filter
  })
)
const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, operatorId: Arguments.Id }))

const service = Operators.Operators

export const make = (runtime: Runtime): Types.Operators => ({
  list: Methods.streaming(
    runtime,
    { name: "operators.list", decode: filter },
    ({ country = null, label = null, organizationId }) =>
      Effect.flatMap(service, (operators) =>
        Effect.map(operators.list({ organizationId, label, country }), (found) =>
          Stream.fromIterable(found.map(Shapes.operator))
        )
      )
  ),
  get: Methods.reading(runtime, { name: "operators.get", decode: named }, (of) =>
    Effect.flatMap(service, (operators) => Effect.map(operators.get(of), Shapes.operator))
  )
})

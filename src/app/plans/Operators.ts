/**
 * Mobile network operators of the catalogue (rule I5).
 */
import { Context, Effect, Layer } from "effect"
import type { Country, Operator } from "../../domain/Catalogue.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { StorageError } from "../../ports/Storage.ts"
import { Catalogues } from "./Catalogues.ts"

/** An operator, and the country that it is in. */
export interface OperatorWithCountry {
  /** The network, with the labels that may use it. */
  readonly operator: Operator
  /** The country of the operator's `countryIso2`. */
  readonly country: Country
}

/** Reads the operators of the catalogue (rule I5). */
export class Operators extends Context.Service<
  Operators,
  {
    /** `label` and `country` (ISO 2, any case) narrow the list; an unknown one leaves it empty. */
    readonly list: (of: {
      readonly organizationId: string
      readonly label: string | null
      readonly country: string | null
    }) => Effect.Effect<ReadonlyArray<OperatorWithCountry>, StorageError>
    /** By its id in the catalogue. */
    readonly get: (of: {
      readonly organizationId: string
      readonly operatorId: string
    }) => Effect.Effect<OperatorWithCountry, NotFound | StorageError>
  }
>()("simplan/Operators") {}

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory: `Catalogues` does.
 */
export const layer: Layer.Layer<Operators, never, Catalogues> = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const catalogues = yield* Catalogues
    return Operators.of({
      list: Effect.fn("Operators.list")(function* ({ country, label }) {
        const catalogue = yield* catalogues.current
        const asked =
          country === null ? catalogue.operators : (catalogue.operatorsByCountry.get(country.toUpperCase()) ?? [])
        return asked.flatMap((operator) => {
          const home = catalogue.countryByIso2.get(operator.countryIso2)
          const serves = label === null || operator.labels.some((served) => served === label)
          return home !== undefined && serves ? [{ operator, country: home }] : []
        })
      }),
      get: Effect.fn("Operators.get")(function* ({ operatorId }) {
        const catalogue = yield* catalogues.current
        const operator = catalogue.operatorById.get(operatorId)
        const country = operator === undefined ? undefined : catalogue.countryByIso2.get(operator.countryIso2)
        if (operator === undefined || country === undefined) {
          return yield* new NotFound({ resource: "operator", id: operatorId })
        }
        return { operator, country }
      })
    })
  })
)

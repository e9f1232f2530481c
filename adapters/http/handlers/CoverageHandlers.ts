/**
 * Coverage profiles, custom regions and the operators of the catalogue: how they look as JSON, and
 * their handlers.
 */
import { Effect } from "effect"
import { Coverage, Operators } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Copy, Coverage as Views, type View } from "simplan/views"
import * as CoverageApi from "../api/CoverageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type Country = View.Wire<typeof Views.CoveredCountry.fields>

// Hundreds of profiles of a list have the same countries.
const countries = new WeakMap<Catalogue.CoveredCountry, Country>()

const countryToWire = Copy.toWire(Views.CoveredCountry)

const country = (one: Catalogue.CoveredCountry): Country => {
  const made = countries.get(one) ?? countryToWire(one)
  countries.set(one, made)
  return made
}

const profileToWire = Copy.toWire(Views.CoverageProfile)

const shape = ({ countries, ...profile }: Coverage.Profile) => ({
  ...profileToWire({ ...profile, countries: [] }),
  countries: countries.map(country)
})

const regionToWire = Copy.toWire(Views.Region)
const operatorToWire = Copy.toWire(Views.Operator)

const decodeRegion = Body.decoder(CoverageApi.CreateRegion)
const regionOf = Copy.fromWire(Views.CreateRegion.own)

/** The handlers of coverage profiles and custom regions. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const coverage = yield* Coverage.Coverage

    return Endpoints.group(CoverageApi.CoverageApi, guard, {
      list: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const profiles = coverage.list({
          organizationId,
          regionCode: query.region_code ?? null,
          label: query.label ?? null
        })
        return yield* Responses.list(profiles, shape)
      }),
      get: Effect.fnUntraced(function* ({ caller: { organizationId }, params }) {
        const profile = yield* coverage.get({ organizationId, coverageId: params.coverageId })
        return Responses.data(shape(profile))
      }),
      createRegion: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const sent = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeRegion(sent.value), (body) =>
          coverage.createRegion({ organizationId, ...regionOf(body) })
        )
        return yield* once("Region", call, sent, run, (region) => Responses.data(regionToWire(region)))
      })
    })
  })

/** The handlers of operators. */
export const operators = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const catalogue = yield* Operators.Operators

    return Endpoints.group(CoverageApi.OperatorsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const found = yield* catalogue.list({
          organizationId,
          label: query.label ?? null,
          country: yield* Query.country("country", query.country)
        })
        return Responses.data(found.map((one) => operatorToWire(Views.operatorOf(one))))
      }),
      get: Effect.fnUntraced(function* ({ caller: { organizationId }, params }) {
        const found = yield* catalogue.get({ organizationId, operatorId: params.operatorId })
        return Responses.data(operatorToWire(Views.operatorOf(found)))
      })
    })
  })

/**
 * Coverage profiles, custom regions and the operators of the catalogue: how they look as JSON, and
 * their handlers.
 */
import { Effect } from "effect"
import { Coverage, Operators } from "simplan"
import type { Catalogue, Region } from "simplan/ports"
import * as CoverageApi from "../api/CoverageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type Country = (typeof CoverageApi.CoverageProfile.Type)["countries"][number]

// Hundreds of profiles of a list have the same countries.
const countries = new WeakMap<Catalogue.CoveredCountry, Country>()

const country = (one: Catalogue.CoveredCountry): Country => {
  const known = countries.get(one)
  if (known !== undefined) return known
  const { iso2, iso3, name } = one
  const operators = one.operators.map((operator) => ({
    operator_id: operator.operatorId,
    name: operator.name,
    supported_rats: operator.supportedRats,
    mcc_mnc: operator.mccMnc
  }))
  const made = { iso2, iso3, name, operators }
  countries.set(one, made)
  return made
}

const shape = (one: Coverage.Profile): typeof CoverageApi.CoverageProfile.Type => ({
  coverage_id: one.coverageId,
  label: one.label,
  region_name: one.regionName,
  region_code: one.regionCode,
  countries: one.countries.map(country)
})

const shapeOfRegion = (one: Region.Region): typeof CoverageApi.CustomRegion.Type => ({
  coverage_id: one.coverageId,
  region_code: one.regionCode,
  region_name: one.regionName,
  iso2_list: one.iso2List
})

const shapeOfOperator = ({ country, operator }: Operators.OperatorWithCountry): typeof CoverageApi.Operator.Type => ({
  operator_id: operator.operatorId,
  name: operator.name,
  country: { iso2: country.iso2, iso3: country.iso3, name: country.name },
  supported_rats: operator.supportedRats,
  mcc_mnc: operator.mccMnc,
  labels: operator.labels
})

const decodeRegion = Body.decoder(CoverageApi.CreateCustomRegion)

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
          coverage.createRegion({
            organizationId,
            regionName: body.region_name,
            label: body.label,
            iso2List: body.iso2_list
          })
        )
        return yield* once("Region", call, sent, run, (region) => Responses.data(shapeOfRegion(region)))
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
        return Responses.data(found.map(shapeOfOperator))
      }),
      get: Effect.fnUntraced(function* ({ caller: { organizationId }, params }) {
        const found = yield* catalogue.get({ organizationId, operatorId: params.operatorId })
        return Responses.data(shapeOfOperator(found))
      })
    })
  })

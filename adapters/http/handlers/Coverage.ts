/**
 * Handlers of coverage profiles and custom regions.
 */
import { Effect } from "effect"
import { Coverage } from "simplan"
import * as CoverageApi from "../api/CoverageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const decodeRegion = Body.decoder(CoverageApi.CreateCustomRegion)

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
        return yield* Responses.list(profiles, Shapes.profile)
      }),
      get: Effect.fnUntraced(function* ({ caller: { organizationId }, params }) {
        const profile = yield* coverage.get({ organizationId, coverageId: Text.id(params.coverageId) })
        return Responses.data(Shapes.profile(profile))
      }),
      createRegion: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const { bytes, value } = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeRegion(value), (body) =>
          coverage.createRegion({
            organizationId,
            regionName: body.region_name,
            label: body.label,
            iso2List: body.iso2_list
          })
        )
        return yield* once("Region", call, bytes, run, (region) => Responses.data(Shapes.region(region)))
      })
    })
  })

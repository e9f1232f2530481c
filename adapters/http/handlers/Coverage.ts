/**
 * Handlers of coverage profiles and custom regions.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Coverage } from "simplan"
import { Api } from "../api/Api.ts"
import * as CoverageApi from "../api/CoverageApi.ts"
import { Caller } from "../api/Security.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Streaming from "../wire/Streaming.ts"
import * as Text from "../wire/Text.ts"

type Item = typeof CoverageApi.CoverageProfileItem.Type
type RegionItem = typeof CoverageApi.CustomRegionItem.Type

const decodeRegion = JsonBody.decoder(CoverageApi.CreateCustomRegion)

export const layer = HttpApiBuilder.group(
  Api,
  "coverage",
  Effect.fnUntraced(function* (handlers) {
    const once = yield* Idempotency.make
    const coverage = yield* Coverage.Coverage

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { organizationId } = yield* Caller
          yield* Query.texts(query)
          const profiles = coverage.list({
            organizationId,
            regionCode: query.region_code ?? null,
            label: query.label ?? null
          })
          return yield* Streaming.list(profiles, Shapes.profile)
        }, ErrorResponses.handled)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const { organizationId } = yield* Caller
          const profile = yield* coverage.get({ organizationId, coverageId: Text.id(params.coverageId) })
          return Responses.ok<Item>({ error: false, data: Shapes.profile(profile) })
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "createRegion",
        Effect.fnUntraced(function* ({ request }) {
          const { organizationId } = yield* Caller
          const { bytes, value } = yield* JsonBody.read(request)
          const run = Effect.flatMap(decodeRegion(value), (body) =>
            coverage.createRegion({
              organizationId,
              regionName: body.region_name,
              label: body.label,
              iso2List: body.iso2_list
            })
          )
          return yield* once("Region", bytes, run, (region) =>
            Responses.ok<RegionItem>({ error: false, data: Shapes.region(region) })
          )
        }, ErrorResponses.handled)
      )
  })
)

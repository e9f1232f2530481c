/**
 * Handlers of coverage profiles and custom regions.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Coverage } from "simplan"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import * as CoverageApi from "../api/CoverageApi.ts"
import { Caller } from "../api/Security.ts"
import * as Idempotency from "../Idempotency.ts"
import * as JsonBody from "../JsonBody.ts"
import * as Query from "../Query.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as Streaming from "../Streaming.ts"
import * as Text from "../Text.ts"

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
        }, Answer.orError)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const { organizationId } = yield* Caller
          const profile = yield* coverage.get({ organizationId, coverageId: Text.id(params.coverageId) })
          return Answer.ok<Item>({ error: false, data: Shapes.profile(profile) })
        }, Answer.orError)
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
            Answer.ok<RegionItem>({ error: false, data: Shapes.region(region) })
          )
        }, Answer.orError)
      )
  })
)

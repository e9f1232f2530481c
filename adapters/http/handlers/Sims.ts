/**
 * Handlers of the SIM inventory.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Sims } from "simplan"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Security.ts"
import type * as SimsApi from "../api/SimsApi.ts"
import * as Shapes from "../shapes/Sims.ts"
import * as Cursor from "../wire/Cursor.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

type Page = typeof SimsApi.SimPage.Type
type Item = typeof SimsApi.SimItem.Type
type InfoItem = typeof SimsApi.SmdpInfoItem.Type

const PAGE_SIZE = 25

const sim = (iccid: string) => Effect.map(Caller, ({ organizationId }) => ({ organizationId, iccid: Text.id(iccid) }))

export const layer = HttpApiBuilder.group(
  Api,
  "sims",
  Effect.fnUntraced(function* (handlers) {
    const sims = yield* Sims.Sims

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { organizationId } = yield* Caller
          yield* Query.texts(query)
          const page = yield* sims.page({
            organizationId,
            isEsim: Query.flag(query.is_esim),
            label: query.label ?? null,
            limit: Query.pageSize(query.page_size, PAGE_SIZE),
            after: yield* Effect.fromResult(Cursor.toSerial(query.page))
          })
          return Responses.ok<Page>({
            error: false,
            data: page.items.map(Shapes.sim),
            next_page: Cursor.ofSerial(page.next)
          })
        }, ErrorResponses.handled)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* sims.get(yield* sim(params.iccid))
          return Responses.ok<Item>({ error: false, data: Shapes.sim(found) })
        }, ErrorResponses.handled)
      )
      .handle(
        "smdpInfo",
        Effect.fnUntraced(function* ({ params }) {
          const of = yield* sim(params.iccid)
          const info = yield* sims.smdpInfo(of)
          return Responses.ok<InfoItem>({ error: false, data: Shapes.smdpInfo(of.iccid, info) })
        }, ErrorResponses.handled)
      )
  })
)

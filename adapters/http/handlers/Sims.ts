/**
 * Handlers of the SIM inventory.
 */
import { Effect } from "effect"
import { Sims } from "simplan"
import * as SimsApi from "../api/SimsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Shapes from "../shapes/Sims.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const PAGE_SIZE = 25

interface OfSim {
  readonly caller: Auth.Tenant
  readonly params: { readonly iccid: string }
}

const simOf = ({ caller, params }: OfSim) => ({ organizationId: caller.organizationId, iccid: Text.id(params.iccid) })

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const sims = yield* Sims.Sims

    return Endpoints.group(SimsApi.SimsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const page = yield* sims.page({
          organizationId: caller.organizationId,
          isEsim: Query.flag(query.is_esim),
          label: query.label ?? null,
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after: yield* Effect.fromResult(Query.importSequenceCursor(query.page))
        })
        return Responses.page(page.items.map(Shapes.sim), Query.importSequenceToken(page.next))
      }),
      get: Effect.fnUntraced(function* (call) {
        const found = yield* sims.get(simOf(call))
        return Responses.data(Shapes.sim(found))
      }),
      smdpInfo: Effect.fnUntraced(function* (call) {
        const of = simOf(call)
        const info = yield* sims.smdpInfo(of)
        return Responses.data(Shapes.smdpInfo(of.iccid, info))
      })
    })
  })

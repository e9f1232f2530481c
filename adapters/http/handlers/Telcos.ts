/**
 * The handlers of the zones of telcos. A zone that is set leaves an entry in the audit log of the region's organization,
 * or of the service where the region is everybody's (rule W11).
 */
import { Effect } from "effect"
import { AuditLog, Coverage, Refusal } from "simplan"
import { Text } from "../../fields/index.ts"
import * as TelcosApi from "../api/management/TelcosApi.ts"
import { AuditEntry } from "simplan/ports"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import type { Telco, Zone } from "../Telcos.ts"
import * as Errors from "../wire/Errors.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"

const decodeZone = Body.closedDecoder(TelcosApi.Zone)

const notFound = new Errors.Problem({
  code: "telco_not_found",
  message: "There is no telco of this name that has location zones"
})

const shape = ({ coverageId, label, zoneId }: Zone) => ({ label, coverage_id: coverageId, zone_id: zoneId })

export const make = (guard: Auth.Guard<undefined>, telcos: ReadonlyMap<string, Telco>) =>
  Effect.gen(function* () {
    const coverage = yield* Coverage.Coverage
    const auditLog = yield* AuditLog.AuditLog

    const zonesOf = ({ name }: { readonly name: string }) => {
      const zones = telcos.get(name)?.zones ?? null
      return zones === null ? Effect.fail(notFound) : Effect.succeed(zones)
    }

    return Endpoints.group(TelcosApi.TelcosApi, guard, {
      zones: Effect.fnUntraced(function* ({ params }) {
        const { list } = yield* zonesOf(params)
        return Responses.data((yield* list).map(shape))
      }),
      setZone: Effect.fnUntraced(function* ({ params, request }) {
        const { set } = yield* zonesOf(params)
        const { value } = yield* Body.read(request)
        const body = yield* decodeZone(value)
        const coverageId = Text.id(body.coverage_id)
        const profile = yield* coverage.find(coverageId)
        if (profile.label !== body.label) {
          return yield* new Refusal.InvalidField({
            field: "label",
            message: `must be that of the coverage profile, ${profile.label}`
          })
        }
        const record = auditLog.record({
          organizationId: profile.organizationId ?? AuditEntry.SERVICE,
          resourceId: coverageId,
          iccid: null,
          action: "coverage_profile.set_zone"
        })
        yield* set({ label: body.label, coverageId, zoneId: body.zone_id }, record)
        return Responses.data(body)
      })
    })
  })

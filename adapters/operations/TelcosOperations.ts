/**
 * The telcos of the settings file: the comparisons with their books (rule S5), and the location
 * zones of coverage profiles (rule P4). A zone that is set leaves an entry in the audit log of the
 * region's organization, or of the service if the region is everybody's (rule W11).
 */
import { Effect } from "effect"
import { AuditEntry, Refusal } from "simplan/ports"
import { Telcos as Views, View } from "simplan/views"
import * as Operation from "./Operation.ts"

const never: Operation.ComparisonProgress = { requestedAt: null, compared: 0, unanswered: 0, doneAt: null }

/** What each telco whose books can be compared says. */
const compared = ({ process }: Operation.Services, which: keyof Operation.Comparison) =>
  Effect.forEach(
    [...process.telcos()].flatMap(([telco, { comparison }]) =>
      telco === null || comparison === undefined ? [] : [{ telco, progress: comparison[which] }]
    ),
    ({ progress, telco }) => Effect.map(progress, (found) => ({ telco, ...never, ...found }))
  )

const zonesOf = ({ process }: Operation.Services, telco: string) => {
  const zones = process.telcos().get(telco)?.zones ?? null
  return zones === null ? Effect.fail(new Refusal.NotFound({ resource: "telco", id: telco })) : Effect.succeed(zones)
}

const zoneOf = (zone: { readonly zoneId: number } | undefined) => ({
  zone: zone === undefined ? null : `${zone.zoneId}`
})

const ofService = { isOfService: true } as const

const comparisons = {
  ...ofService,
  request: View.nothing,
  answer: Views.TelcoComparison
} as const

export const telcos = {
  comparisons: Operation.list({
    ...comparisons,
    route: "GET /telcos/comparisons",
    role: "read",
    title: "How far the comparisons of all SIMs are",
    text: "The last comparison of all SIMs with each telco whose books can be compared. What it finds is among the problems.",
    call: (services) => compared(services, "progress")
  }),
  compare: Operation.list({
    ...comparisons,
    route: "POST /telcos/comparisons",
    role: "support",
    isKept: true,
    title: "Compare all SIMs with the telcos now",
    text:
      "Compares all SIMs, those in stock too, with each telco whose books can be compared, at the rate that its calls allow. " +
      "Comparisons that were made before do not count from then on: do this after each restore of a backup, before the " +
      "service sells again. Asked again, it begins anew.",
    call: (services) =>
      Effect.tap(compared(services, "begin"), (all) =>
        Effect.forEach(all, ({ telco }) =>
          services.auditLog.record({
            organizationId: AuditEntry.SERVICE,
            iccid: null,
            action: "telco.compare",
            resourceId: telco
          })
        )
      )
  }),
  zones: Operation.list({
    ...ofService,
    route: "GET /telcos/:name/zones",
    request: Views.OfTelco,
    answer: Views.TelcoZone,
    role: "read",
    errors: ["telco_not_found"],
    title: "List the zones that were set",
    text: "The location zones that were set for coverage profiles at this telco, by label and coverage id.",
    call: (services, { telco }) => Effect.flatMap(zonesOf(services, telco), ({ list }) => list)
  }),
  setZone: Operation.item({
    ...ofService,
    route: "PUT /telcos/:name/zones",
    request: Views.SetTelcoZone,
    answer: Views.TelcoZone,
    role: "admin",
    isKept: true,
    errors: ["telco_not_found", "coverage_profile_not_found"],
    title: "Set the zone of a coverage profile",
    text:
      "Says which location zone of the telco a coverage profile is, for plans of the label. A custom region " +
      "needs it before its first plan; for a standard profile it goes before the settings file. Packages that " +
      "exist keep theirs.",
    call: Effect.fnUntraced(function* (services, { telco, ...zone }) {
      const { label, organizationId } = yield* services.coverage.find(zone.coverageId)
      if (label !== zone.label) {
        const message = `must be that of the coverage profile, ${label}`
        return yield* new Refusal.InvalidField({ field: "label", message })
      }
      const { list, set } = yield* zonesOf(services, telco)
      const before = (yield* list).find((one) => one.coverageId === zone.coverageId && one.label === zone.label)
      const record = services.auditLog.record({
        organizationId: organizationId ?? AuditEntry.SERVICE,
        iccid: null,
        action: "coverage_profile.set_zone",
        resourceId: zone.coverageId,
        changed: AuditEntry.differences(zoneOf(before), zoneOf(zone))
      })
      yield* set(zone, record)
      return zone
    })
  })
}

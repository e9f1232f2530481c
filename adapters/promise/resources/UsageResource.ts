/**
 * What was used, by day and country.
 */
import { Effect, Schema, Stream } from "effect"
import { Usage } from "simplan"
import { UsageBook } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/UsageTypes.ts"
import { Fields } from "../../fields/index.ts"

const days = { from: Schema.optional(Schema.String), to: Schema.optional(Schema.String) }

const simGroups = Fields.oneOf(UsageBook.simGroups)

const ofSim = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    iccid: Arguments.Iccid,
    ...days,
    by: Schema.optional(Schema.NonEmptyArray(simGroups))
  })
)

const organizationGroup = Fields.oneOf(UsageBook.organizationGroups)

const ofOrganization = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    ...days,
    by: Schema.optional(Schema.Union([organizationGroup, Schema.Array(organizationGroup)]))
  })
)

const DAY: ReadonlyArray<"day"> = ["day"]

const simUsage = ({ attachmentId, bytes, countryAlpha2, day }: UsageBook.SimSum): Types.SimUsage => ({
  ...(day !== undefined && { day: day === null ? null : UsageBook.dateOf(day) }),
  ...(countryAlpha2 !== undefined && { countryIso2: countryAlpha2 }),
  ...(attachmentId !== undefined && { attachmentId }),
  usedBytes: bytes
})

const organizationUsage = (total: UsageBook.Total): Types.OrganizationUsage => {
  const { bytes, countryAlpha2, day, iccid, label, month, planId } = total
  return {
    ...(day !== undefined && { day: UsageBook.dateOf(day) }),
    ...(month !== undefined && { month: UsageBook.textOfMonth(month) }),
    ...(countryAlpha2 !== undefined && { countryIso2: countryAlpha2 }),
    ...(planId !== undefined && { planId }),
    ...(label !== undefined && { label }),
    ...(iccid !== undefined && { iccid }),
    usedBytes: bytes
  }
}

export const make = (runtime: Runtime): Types.Usage => ({
  ofSim: Methods.streaming(runtime, { name: "usage.ofSim", decode: ofSim }, ({ by = DAY, ...of }) =>
    Effect.map(Usage.Usage, (usage) => Stream.map(usage.ofSim({ ...of, by }), simUsage))
  ),
  ofOrganization: Methods.streaming(
    runtime,
    { name: "usage.ofOrganization", decode: ofOrganization },
    ({ by = DAY, ...of }) =>
      Effect.map(Usage.Usage, (usage) => {
        const groups = typeof by === "string" ? [by] : by
        return Stream.map(usage.ofOrganization({ ...of, by: groups }), organizationUsage)
      })
  )
})

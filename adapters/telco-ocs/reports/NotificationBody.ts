/**
 * The bodies of the OCS's notifications. The documents show numbers as numbers and as texts, so both are read.
 */
import { Option, Schema } from "effect"
import { Iccid } from "simplan/ports"
import { Whole } from "../api/Numbers.ts"

export type Notification =
  /** `usedBytes`: what has been used of the package in all. */
  | {
      readonly _tag: "PackageUsage"
      readonly externalId: string
      readonly usedBytes: number
      /** The threshold that it is about, in percent; null if it is not told. */
      readonly threshold: number | null
      readonly subscriberId: number
    }
  /** Use of a package by calls or SMS, which simplan does not sell. */
  | { readonly _tag: "OtherUsage" }
  | { readonly _tag: "ProfileStatus"; readonly iccid: string; readonly status: string }

const Count = Whole.check(Schema.isGreaterThanOrEqualTo(0))

const PackageUsage = Schema.Struct({
  subscriberPrepaidPackage: Schema.Struct({
    unitsBefore: Count,
    unitsAfter: Count,
    totalUnits: Count,
    thresholdPercentage: Schema.optionalKey(Schema.Unknown),
    subscriberPackageId: Count,
    subscriberId: Count,
    usageType: Schema.String
  })
})

const ProfileStatus = Schema.Struct({ iccid: Schema.String, status: Schema.NonEmptyString })

const decodeCount = Schema.decodeUnknownOption(Count)
const decodePackageUsage = Schema.decodeUnknownOption(PackageUsage)
const decodeProfileStatus = Schema.decodeUnknownOption(ProfileStatus)

const ofPackage = ({ subscriberPrepaidPackage: told }: typeof PackageUsage.Type): Notification => {
  const { subscriberId, subscriberPackageId, thresholdPercentage, totalUnits, unitsAfter, unitsBefore, usageType } =
    told
  if (usageType !== "DATA") return { _tag: "OtherUsage" }
  // The documents call the units "present on the package", and their example shows units that rise towards the total. So
  // units that rise are what has been used; units that fall are what is left.
  const usedBytes = unitsAfter < unitsBefore ? Math.max(0, totalUnits - unitsAfter) : unitsAfter
  const threshold = Option.getOrNull(decodeCount(thresholdPercentage))
  return { _tag: "PackageUsage", externalId: String(subscriberPackageId), usedBytes, threshold, subscriberId }
}

const ofProfile = ({ iccid, status }: typeof ProfileStatus.Type): Notification | undefined => {
  const parsed = Iccid.parse(iccid)
  return parsed === undefined ? undefined : { _tag: "ProfileStatus", iccid: parsed, status }
}

/** What the body tells; undefined if it is none of the two notifications. */
export const decode = (body: unknown): Notification | undefined =>
  Option.match(decodePackageUsage(body), {
    onSome: ofPackage,
    onNone: () => Option.getOrUndefined(Option.map(decodeProfileStatus(body), ofProfile))
  })

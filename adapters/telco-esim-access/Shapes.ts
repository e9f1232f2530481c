/**
 * What eSIM Access sends, as it is in JSON, and what it means. What its documents do not name is
 * left out.
 */
import { Schema } from "effect"
import { Time } from "simplan/ports"
import * as AccountApi from "./AccountApi.ts"

const Text = Schema.NullOr(Schema.String).pipe(Schema.optionalKey)
const Whole = Schema.NullOr(Schema.Int).pipe(Schema.optionalKey)

/**
 * What each answer is in. Both names of the message occur, and a code as a number too. An answer
 * whose `success` is true and whose code is null or 0 is one of a call that is done.
 */
export const Envelope = Schema.Struct({
  success: Schema.Boolean,
  errorCode: Schema.NullOr(Schema.Union([Schema.String, Schema.Int])).pipe(Schema.optionalKey),
  errorMsg: Text,
  errorMessage: Text,
  obj: Schema.Unknown.pipe(Schema.optionalKey)
})

const Package = Schema.Struct({
  packageCode: Schema.String,
  slug: Text,
  name: Schema.String,
  price: Schema.Int,
  currencyCode: Schema.String,
  volume: Schema.Int,
  duration: Schema.Int,
  durationUnit: Schema.String,
  dataType: Whole,
  smsStatus: Whole,
  unusedValidTime: Whole,
  location: Text,
  activeType: Whole
})

export const Packages = Schema.Struct({ packageList: Schema.NullOr(Schema.Array(Package)) })

export const Ordered = Schema.Struct({ orderNo: Schema.NonEmptyString, transactionId: Text })

const Esim = Schema.Struct({
  esimTranNo: Schema.NonEmptyString,
  orderNo: Schema.String,
  transactionId: Text,
  imsi: Text,
  iccid: Text,
  msisdn: Text,
  ac: Text,
  smsStatus: Whole,
  smdpStatus: Text,
  esimStatus: Schema.String,
  orderUsage: Whole,
  totalVolume: Whole,
  expiredTime: Text,
  activateTime: Text,
  packageList: Schema.NullOr(Schema.Array(Schema.Struct({ createTime: Text }))).pipe(Schema.optionalKey)
})

export const Esims = Schema.Struct({ esimList: Schema.NullOr(Schema.Array(Esim)) })

export const Usages = Schema.Struct({
  esimUsageList: Schema.NullOr(
    Schema.Array(Schema.Struct({ esimTranNo: Schema.String, dataUsage: Schema.Int, lastUpdateTime: Text }))
  )
})

export const Balance = Schema.Struct({ balance: Schema.Int })

/** An instant such as `2025-07-18T09:26:41+0000`, whose zone has no colon; null if it is none. */
export const instantOf = (text: string | null | undefined): Time.Instant | null =>
  Time.fromIso((text ?? "").replace(/([+-]\d\d)(\d\d)$/, "$1:$2")) ?? null

/** An instant as requests have it, in whole seconds. */
export const timeOf = (instant: Time.Instant): string => `${Time.toIso(instant).slice(0, 19)}+0000`

/** The places of a comma list, at whose end a comma may stand. */
const placesOf = (list: string | null | undefined): ReadonlyArray<string> =>
  (list ?? "")
    .split(",")
    .map((place) => place.trim())
    .filter((place) => place !== "")

const isCountry = (place: string): boolean => /^[A-Z]{2}$/.test(place)

/** Data types 2 to 4 are those with a volume a day. */
const TOTAL = 1

export const bundleFrom = (of: typeof Package.Type): AccountApi.Bundle => {
  const places = placesOf(of.location)
  const { currencyCode, name, packageCode, price, volume } = of
  return {
    slug: of.slug || packageCode,
    packageCode,
    name,
    price: AccountApi.amountOf(price, currencyCode),
    bytes: volume,
    days: of.duration,
    volume: (of.dataType ?? TOTAL) === TOTAL ? "total" : "daily",
    countries: places.filter(isCountry),
    regions: places.filter((place) => !isCountry(place)),
    takesSms: (of.smsStatus ?? 0) > 0,
    unusedDays: of.unusedValidTime ?? null,
    begins: of.activeType === 1 ? "installation" : of.activeType === 2 ? "network" : null
  }
}

/** The host of an activation code may come with a scheme. */
const codeOf = (text: string): string => text.trim().replace(/^(LPA:1\$)https?:\/\//i, "$1")

export const esimFrom = (of: typeof Esim.Type): AccountApi.Esim => ({
  esimTranNo: of.esimTranNo,
  orderNo: of.orderNo,
  transactionId: of.transactionId ?? null,
  iccid: of.iccid ?? "",
  activationCode: codeOf(of.ac ?? ""),
  imsi: of.imsi || null,
  msisdn: of.msisdn || null,
  status: of.esimStatus,
  smdpStatus: of.smdpStatus ?? "",
  takesSms: (of.smsStatus ?? 0) > 0,
  usedBytes: of.orderUsage ?? 0,
  createdAt: instantOf(of.packageList?.[0]?.createTime),
  activatedAt: instantOf(of.activateTime),
  totalBytes: of.totalVolume ?? null,
  expiresAt: instantOf(of.expiredTime)
})

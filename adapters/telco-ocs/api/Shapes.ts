/**
 * The answers of the OCS, and what the types of `Api` make of them.
 *
 * The schemas have only what simplan needs, so unknown fields do not matter. What the documents
 * call optional may be missing or null, and an array may be null if it is empty (`API.md`, 4.4).
 *
 * The OCS writes dates as `2026-04-15T17:41:26`, or with up to microseconds, without a zone. They
 * are UTC: the documents say "Date and time (UTC+0)" of each date of a package (`OcsObjects.md`)
 * and of a location (`API.md`, 2.17). They do not say it of the dates of an order (`activePeriod`).
 * Those are written in the zone of the settings. The documents fix no form, and their examples have
 * several. So other usual forms are read too: a space for the `T`, no seconds if they are 0 (as
 * Java writes them), a zone in any form of ISO 8601, or milliseconds since 1970 as a number.
 *
 * The documents write ids and amounts as numbers in most places and as texts in others (a balance,
 * the thresholds of a notification), so both are read everywhere. What is no whole number, or is
 * too large to be exact, is not read: a wrong id would be somebody else's.
 */
import { DateTime, Schema, SchemaTransformation, Option, Result } from "effect"
import { Time } from "simplan/ports"
import type * as Api from "./Api.ts"

const DATE = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d+)? ?(?:([Zz]|UTC)|([+-]\d{2})(?::?(\d{2}))?)?$/

/** No date that the OCS writes is earlier. A lesser number is no date in milliseconds. */
const EARLIEST = Date.UTC(2000)

/**
 * The instant of a text; undefined for what is no date. What is below a millisecond is cut off. A
 * zone is obeyed.
 */
const ofText = (text: string): Time.Instant | undefined => {
  const found = DATE.exec(text)
  if (found === null) return undefined
  const [, day, minute, seconds = ":00", fraction = "", , zoneHours, zoneMinutes = "00"] = found
  const zone = zoneHours === undefined ? "Z" : `${zoneHours}:${zoneMinutes}`
  return Time.fromIso(`${day}T${minute}${seconds}${fraction}${zone}`)
}

const ofNumber = (millis: number): Time.Instant | undefined =>
  Number.isSafeInteger(millis) && millis >= EARLIEST && millis < Time.END_OF_TIME ? millis : undefined

/** The instant of a date in any of the forms; undefined for others. */
const parseDate = (date: string | number): Time.Instant | undefined =>
  typeof date === "number" ? ofNumber(date) : ofText(date.trim())

/**
 * The date of an instant, with milliseconds only if it has some. It is UTC unless a zone is given.
 */
export const formatDate = (instant: Time.Instant, zone: DateTime.TimeZone = DateTime.zoneMakeOffset(0)): string => {
  const text = DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone })).slice(0, 23)
  return instant % Time.SECOND === 0 ? text.slice(0, 19) : text
}

const FromText = Schema.String.check(Schema.isPattern(/^\s*\d+(\.0+)?\s*$/)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

/** A whole number, as a number or as the text of one. */
export const Whole = Schema.Union([Schema.Int, FromText])

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const list = <S extends Schema.Top>(schema: S) => optional(Schema.Array(schema))

const Instant = Schema.Union([Schema.String, Schema.Finite])
  .check(Schema.makeFilter((date) => parseDate(date) !== undefined || "must be a date"))
  .pipe(
    Schema.decodeTo(
      Schema.Number,
      SchemaTransformation.transform({
        decode: (date): Time.Instant => parseDate(date) ?? Time.START_OF_TIME,
        encode: (instant): string | number => formatDate(instant)
      })
    )
  )

/**
 * An IMSI or a network's code: the documents write them as texts in some places, and as numbers in
 * others.
 */
const Digits = Schema.Union([Schema.String, Schema.Int])

/** The part of every answer that says what came of the call. */
export const Answer = Schema.Struct({
  status: Schema.Struct({ code: Whole, msg: optional(Schema.String) })
})

const Imsi = Schema.Struct({
  imsi: optional(Digits),
  iccid: optional(Schema.String),
  startDate: optional(Instant),
  endDate: optional(Schema.Union([Schema.String, Schema.Finite]))
})

const PhoneNumber = Schema.Struct({
  phoneNumber: optional(Digits),
  startDate: optional(Instant),
  endDate: optional(Schema.String)
})

const ServiceStatus = Schema.Struct({
  status: optional(Schema.String),
  startDate: optional(Instant),
  endDate: optional(Schema.Unknown)
})

export const Subscriber = Schema.Struct({
  subscriberId: Whole,
  // What a comparison needs alone may be in any form: nothing else must fail by it.
  status: optional(Schema.Unknown),
  mobilePlanId: optional(Schema.Unknown),
  imsiList: list(Imsi),
  phoneNumberList: list(PhoneNumber),
  sim: optional(
    Schema.Struct({
      id: optional(Whole),
      esim: optional(Schema.Boolean),
      smdpServer: optional(Schema.String),
      activationCode: optional(Schema.String)
    })
  ),
  networkInfo: optional(
    Schema.Struct({
      time: optional(Instant),
      lastMcc: optional(Digits),
      lastMnc: optional(Digits),
      lastImei: optional(Digits),
      lastRat: optional(Schema.String)
    })
  ),
  lastMcc: optional(Digits),
  lastMnc: optional(Digits)
})

/** The field of the rows of a list of subscribers. */
export const ROWS = "subscriberList"

/** Each row of `ROWS` is read for itself, so that an odd one does not hide the others. */
export const SubscriberList = Schema.NullOr(
  Schema.Struct({ [ROWS]: list(Schema.Unknown), hasMore: optional(Schema.Boolean), nbFound: optional(Whole) })
)

const Account = Schema.Struct({ accountId: optional(Whole) })

const listed = Schema.decodeUnknownResult(Schema.Struct({ ...Subscriber.fields, ...Account.fields }))

/** What may still be read of an odd row. */
const accountOf = Schema.decodeUnknownOption(Account)
const cardsOf = Schema.decodeUnknownOption(
  Schema.Struct({ imsiList: Schema.Array(Schema.Struct({ iccid: optional(Schema.String) })) })
)

const SubscriberPackage = Schema.Struct({
  subscriberprepaidpackageid: Whole,
  templateId: optional(Whole),
  packageTemplate: optional(
    Schema.Struct({
      prepaidpackagetemplateid: optional(Whole),
      prepaidpackagetemplatename: optional(Schema.String)
    })
  ),
  tsassigned: optional(Instant),
  tsactivationutc: optional(Instant),
  tsexpirationutc: optional(Instant),
  pckdatabyte: optional(Whole),
  useddatabyte: optional(Whole),
  active: optional(Schema.Boolean),
  recurringPackage: optional(Schema.Unknown)
})

/** Never null: an order that takes no answer for an empty list would be made twice. */
export const SubscriberPackages = Schema.Struct({ packages: list(SubscriberPackage) })

export const AffectedPackage = Schema.Struct({ subsPackageId: Whole })

export const Template = Schema.Struct({
  prepaidpackagetemplateid: Whole,
  prepaidpackagetemplatename: optional(Schema.String),
  deleted: optional(Schema.Boolean),
  // What orders do not need may be in any form: they must not fail by it.
  locationzoneid: optional(Schema.Unknown),
  databyte: optional(Schema.Unknown),
  perioddays: optional(Schema.Unknown),
  throttlingActive: optional(Schema.Unknown),
  throttlingThreshold1Perc: optional(Schema.Unknown),
  throttlingThreshold1Limit: optional(Schema.Unknown),
  throttlingThreshold2Perc: optional(Schema.Unknown),
  throttlingThreshold2Limit: optional(Schema.Unknown),
  throttlingThreshold3Perc: optional(Schema.Unknown),
  throttlingThreshold3Limit: optional(Schema.Unknown),
  throttlingThreshold4Perc: optional(Schema.Unknown),
  throttlingThreshold4Limit: optional(Schema.Unknown)
})

export const Templates = Schema.NullOr(Schema.Struct({ template: list(Template) }))

export const ProfileStates = Schema.NullOr(
  Schema.Array(Schema.Struct({ status: Schema.String, start: Instant, statusModification: optional(Schema.String) }))
)

export const Location = Schema.NullOr(Schema.Struct({ dateTime: optional(Instant) }))

/** The usage type of data. */
const DATA = 33

const UsageRecord = Schema.Struct({
  usageDateUtc: Instant,
  usageType: Whole,
  countryAlpha2: optional(Schema.String),
  quantity: optional(Whole)
})

export const Usage = Schema.NullOr(
  Schema.Struct({
    total: optional(Schema.Struct({ quantityPerType: optional(Schema.Struct({ [DATA]: optional(Whole) })) })),
    usages: list(Schema.Struct({ subsPeriodUsages: list(Schema.Struct({ subsDailyUsages: list(UsageRecord) })) }))
  })
)

export const Zones = Schema.NullOr(Schema.Array(Schema.Struct({ zoneId: Whole, zoneName: optional(Schema.String) })))

const textOf = (digits: string | number | null | undefined): string | null =>
  digits === null || digits === undefined || digits === "" ? null : String(digits)

const numberOf = (digits: string | number | null | undefined): number | null => {
  const text = textOf(digits)
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

const latestFirst = <A extends { readonly startDate?: number | null | undefined }>(history: ReadonlyArray<A>) =>
  history.toSorted((left, right) => (right.startDate ?? 0) - (left.startDate ?? 0))

/**
 * The card that the subscriber has now: the list is a history, in which those that ended have an
 * end.
 */
const currentOf = (history: ReadonlyArray<typeof Imsi.Type>): typeof Imsi.Type | undefined => {
  const cards = latestFirst(history)
  return cards.find(({ endDate }) => !endDate) ?? cards[0]
}

/**
 * The phone number that the subscriber has now, of a history of the same form. One that has ended
 * may be another's.
 */
const numberOfNow = (history: ReadonlyArray<typeof PhoneNumber.Type>): string | null =>
  textOf(latestFirst(history).find(({ endDate }) => !endDate)?.phoneNumber)

const decodeWhole = Schema.decodeUnknownOption(Whole)

const wholeOf = (value: unknown): number | null => Option.getOrNull(decodeWhole(value))

const decodeStatuses = Schema.decodeUnknownOption(Schema.Array(ServiceStatus))

/** The status that the subscriber has now, of a history of the same form, or of a text. */
const statusOfNow = (status: unknown): string | null => {
  const text =
    typeof status === "string"
      ? status
      : latestFirst(Option.getOrElse(decodeStatuses(status), () => [])).find(({ endDate }) => !endDate)?.status
  return text ? text.toUpperCase() : null
}

/** The network of `networkInfo`, or the bare codes that stand beside it. */
const network = ({ lastMcc, lastMnc, networkInfo }: typeof Subscriber.Type): Api.Network | null => {
  const mcc = numberOf(networkInfo?.lastMcc ?? lastMcc)
  const mnc = numberOf(networkInfo?.lastMnc ?? lastMnc)
  if (mcc === null || mnc === null) return null
  const { lastImei, lastRat = null, time = null } = networkInfo ?? {}
  return { at: time, mcc, mnc, rat: lastRat, imei: textOf(lastImei) }
}

/** A subscriber, with the ICCID that the OCS returns. */
export const subscriberFrom = (
  subscriber: typeof Subscriber.Type
): Omit<Api.Subscriber, "iccid"> & { iccid: string | null } => {
  const card = currentOf(subscriber.imsiList ?? [])
  const { sim, subscriberId } = subscriber
  return {
    subscriberId,
    iccid: card?.iccid ?? null,
    imsi: textOf(card?.imsi),
    msisdn: numberOfNow(subscriber.phoneNumberList ?? []),
    simId: sim?.id ?? null,
    // Only an eSIM has an activation code.
    isEsim: sim?.esim ?? !!sim?.activationCode,
    smdpServer: sim?.smdpServer ?? null,
    activationCode: sim?.activationCode ?? null,
    network: network(subscriber),
    status: statusOfNow(subscriber.status),
    mobilePlanId: wholeOf(subscriber.mobilePlanId)
  }
}

/** The longest reason for which a row cannot be read, in characters. */
const LONGEST_REASON = 200

const oddRow = (row: unknown, reason: string): Api.OddRow => ({
  key: JSON.stringify(row) ?? "",
  accountId: Option.getOrNull(accountOf(row))?.accountId ?? null,
  iccid: Option.getOrNull(cardsOf(row))?.imsiList.find(({ iccid }) => iccid)?.iccid ?? null,
  message: reason.replace(/\s+/g, " ").slice(0, LONGEST_REASON)
})

/**
 * Takes the rows of a list one after another, by what can be read of them; `end` adds what the list
 * says beside them.
 */
export const subscribers = () => {
  const subscribers: Array<Api.ListedSubscriber> = []
  const withoutCard: Array<number> = []
  const odd: Array<Api.OddRow> = []
  return {
    take: (row: unknown): void => {
      const read = listed(row)
      if (Result.isFailure(read)) {
        odd.push(oddRow(row, read.failure.message))
        return
      }
      const { iccid, ...subscriber } = subscriberFrom(read.success)
      if (iccid === null || iccid === "") withoutCard.push(subscriber.subscriberId)
      else subscribers.push({ ...subscriber, iccid, accountId: read.success.accountId ?? null })
    },
    end: (list: typeof SubscriberList.Type): Api.SubscriberList => ({
      subscribers,
      withoutCard,
      odd,
      hasMore: list?.hasMore ?? false,
      found: list?.nbFound ?? null
    })
  }
}

export const packagesFrom = ({ packages }: typeof SubscriberPackages.Type): ReadonlyArray<Api.SubscriberPackage> =>
  (packages ?? []).map((one) => ({
    id: one.subscriberprepaidpackageid,
    templateId: one.templateId ?? one.packageTemplate?.prepaidpackagetemplateid ?? null,
    templateName: one.packageTemplate?.prepaidpackagetemplatename ?? null,
    assignedAt: one.tsassigned ?? null,
    activationAt: one.tsactivationutc ?? null,
    expirationAt: one.tsexpirationutc ?? null,
    allowanceBytes: one.pckdatabyte ?? null,
    usedBytes: one.useddatabyte ?? 0,
    isActive: one.active ?? true,
    isRecurring: (one.recurringPackage ?? null) !== null
  }))

/** The steps that throttle; null if the OCS does not return them. */
const throttlingFrom = (template: typeof Template.Type): Api.Grant["throttling"] => {
  if (template.throttlingActive === false) return []
  if (template.throttlingActive !== true) return null
  const steps = [
    [template.throttlingThreshold1Perc, template.throttlingThreshold1Limit],
    [template.throttlingThreshold2Perc, template.throttlingThreshold2Limit],
    [template.throttlingThreshold3Perc, template.throttlingThreshold3Limit],
    [template.throttlingThreshold4Perc, template.throttlingThreshold4Limit]
  ].flatMap(([perc, max]) => {
    const percentage = wholeOf(perc)
    const limit = wholeOf(max)
    return percentage === null || limit === null ? [] : [{ percentage, limit }]
  })
  return steps.length === 0 ? null : steps
}

export const templateFrom = (template: typeof Template.Type): Api.Template => {
  const grant: Api.Grant = {
    zoneId: wholeOf(template.locationzoneid),
    allowanceBytes: wholeOf(template.databyte),
    periodDays: wholeOf(template.perioddays),
    throttling: throttlingFrom(template)
  }
  return {
    id: template.prepaidpackagetemplateid,
    name: template.prepaidpackagetemplatename ?? "",
    isDeleted: template.deleted ?? false,
    ...(Object.values(grant).some((one) => one !== null) && { grant })
  }
}

/** The latest first, as the documents have it, also if the answer is in another order. */
export const profileStatesFrom = (states: typeof ProfileStates.Type): ReadonlyArray<Api.ProfileState> =>
  (states ?? [])
    .map(({ start, status, statusModification }) => ({
      status,
      startedAt: start,
      modificationResult: statusModification ?? null
    }))
    .toSorted((left, right) => right.startedAt - left.startedAt)

const countryOf = (alpha2: string | null | undefined): string | null =>
  alpha2 && /^[A-Za-z]{2}$/.test(alpha2) ? alpha2.toUpperCase() : null

/**
 * What was used of data; null if its sum is not the total beside it, since then something is
 * missing.
 */
export const usageFrom = (usage: typeof Usage.Type): ReadonlyArray<Api.Used> | null => {
  const used: Array<Api.Used> = []
  for (const { subsPeriodUsages } of usage?.usages ?? []) {
    for (const { subsDailyUsages } of subsPeriodUsages ?? []) {
      for (const { countryAlpha2, quantity, usageDateUtc, usageType } of subsDailyUsages ?? []) {
        if (usageType !== DATA) continue
        used.push({ at: usageDateUtc, countryAlpha2: countryOf(countryAlpha2), bytes: quantity ?? 0 })
      }
    }
  }
  const total = usage?.total?.quantityPerType?.[DATA] ?? null
  return total === null || total === used.reduce((sum, { bytes }) => sum + bytes, 0) ? used : null
}

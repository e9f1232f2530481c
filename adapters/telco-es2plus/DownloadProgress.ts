/**
 * What the SM-DP+ notifies about the download of a profile (SGP.22 section 5.3.5) becomes a telco
 * report of the app: by `HandleDownloadProgressInfo` of version 2, or by `HandleNotification` of
 * version 3, which has an event in place of the point.
 *
 * The report's id follows from the content, so a notification that comes twice counts once
 * (rule R1). The answer to a notification is empty (section 6.5.1): 204 also if the app rejects
 * the report, since the same one would be rejected again; the log says why.
 */
import { createHash } from "node:crypto"
import { DateTime, Effect, Schema } from "effect"
import { Reports, Time } from "simplan"
import { Iccid, type SmdpHistory, type Storage, type TelcoReport, TextLimit } from "simplan/ports"
import * as Api from "./Api.ts"

/**
 * Notification point, or event, to state of `/v3`; one that is missing, or null, stands for nothing
 * that `/v3` shows.
 */
export type States = Readonly<Record<string, SmdpHistory.State | null>>

/** Which points and events stand for which states. */
export interface Options {
  /** Changes to the table `states`. */
  readonly states?: States
  /**
   * The IANA name of the zone of times that have none; UTC unless given. An unknown name is thrown.
   */
  readonly timeZone?: string
  /**
   * Whether a SIM is one of this SM-DP+; notifications about others are rejected. All are unless
   * given.
   */
  readonly isSupplied?: (iccid: string) => Effect.Effect<boolean, Storage.StorageError>
}

/** The HTTP status to answer with, and for one that is not 204 the reason. */
export interface Answer {
  /**
   * 204: taken. 400: no notification. 503: the storage is out of reach, so it is to be sent again.
   */
  readonly status: 204 | 400 | 503
  /** Null if there is no body. */
  readonly message: string | null
}

/** Takes the notifications of `handleDownloadProgressInfo` and `handleNotification`. */
export interface DownloadProgress {
  /** Takes the decoded JSON of a notification. */
  readonly take: (body: unknown) => Effect.Effect<Answer>
}

/**
 * The points of SGP.22 section 5.3.5 are 1 (eligibility and retry limit), 2 (confirmation code), 3
 * (download of the bound package) and 4 (its installation). SM-DP+s notify others too, and do not
 * agree on them: 5 is a deletion at some; 6, 7 and 8, or 101 and 102, are states that the user sets
 * on the device, or blocked devices. So these count for nothing unless the operator says what they
 * mean.
 */
export const states: States = {
  "1": null,
  "2": null,
  "3": null,
  "4": "BPP Installation"
}

/**
 * Events of version 3 by their names, such as `BPP installation` or `notificationLocalEnable`: the
 * first that fits.
 */
const named: ReadonlyArray<readonly [RegExp, SmdpHistory.State]> = [
  [/delet/i, "Delete"],
  [/disabl/i, "Disable"],
  [/enabl/i, "Enable"],
  [/install/i, "BPP Installation"]
]

/** A number in its shortest form, and a name in small letters. */
const keyOf = (event: number | string): string =>
  typeof event === "number" || /^\d+$/.test(event) ? String(Number(event)) : event.trim().toLowerCase()

/**
 * The state that a point or an event stands for, by the table or else by its name; null: it has
 * none.
 */
const stateOf = (table: States, event: number | string): SmdpHistory.State | null => {
  const key = keyOf(event)
  const listed = Object.entries(table).findLast(([name]) => keyOf(name) === key)
  if (listed !== undefined) return listed[1]
  return /^\d+$/.test(key) ? null : (named.find(([name]) => name.test(key))?.[1] ?? null)
}

/**
 * Version 2 numbers the points, and some senders write the number as text. Version 3 may name the
 * event.
 */
const Event = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^.{1,100}$/u))])

/**
 * Dates of ISO 8601. The specification has a zone in them, and not every sender has. What is below
 * a millisecond is cut off.
 */
const DATE = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d+)? ?(?:([Zz])|([+-]\d{2}):?(\d{2})?)?$/

/**
 * The instant of a date. One without a zone is of the given zone; in the hour that comes twice when
 * clocks are put back it is the earlier one, since a time ahead of the clock would be rejected.
 */
const instantOf = (text: string, zone: DateTime.TimeZone): Time.Instant | undefined => {
  const found = DATE.exec(text.trim())
  if (found === null) return undefined
  const [, day, minute, seconds = ":00", fraction = "", utc, hours, minutes = "00"] = found
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`
  const instant = Time.fromIso(`${day}T${minute}${seconds}${fraction}${offset}`)
  if (instant === undefined || utc !== undefined || hours !== undefined) return instant
  const local = { timeZone: zone, adjustForTimeZone: true, disambiguation: "earlier" } as const
  return DateTime.toEpochMillis(DateTime.makeZonedUnsafe(instant, local))
}

const UTC = DateTime.zoneMakeOffset(0)

const Common = Schema.Struct({
  eid: Api.Text,
  iccid: Schema.String.check(Schema.makeFilter((text: string) => Iccid.parse(text) !== undefined || "is no ICCID")),
  timestamp: Schema.String.check(
    Schema.makeFilter((text: string) => instantOf(text, UTC) !== undefined || "is no date and time")
  ),
  resultData: Api.Text
})

const decode = {
  /** `HandleDownloadProgressInfo` of version 2. */
  version2: Schema.decodeUnknownEffect(
    Schema.Struct({
      ...Common.fields,
      notificationPointId: Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^\d{1,3}$/u))]),
      notificationPointStatus: Api.ExecutionStatus
    })
  ),
  /** `HandleNotification` of version 3. */
  version3: Schema.decodeUnknownEffect(
    Schema.Struct({ ...Common.fields, notificationEvent: Event, notificationEventStatus: Api.ExecutionStatus })
  )
}

/** What either version contains. */
type Notification = typeof Common.Type & {
  readonly event: number | string
  readonly status: typeof Api.ExecutionStatus.Type
}

const isVersion3 = (body: unknown): boolean =>
  typeof body === "object" && body !== null && ("notificationEvent" in body || "notificationEventStatus" in body)

const read = (body: unknown): Effect.Effect<Notification, Schema.SchemaError> =>
  isVersion3(body)
    ? Effect.map(decode.version3(body), ({ notificationEvent: event, notificationEventStatus: status, ...common }) => ({
        ...common,
        event,
        status
      }))
    : Effect.map(
        decode.version2(body),
        ({ notificationPointId: event, notificationPointStatus: status, ...common }) => ({
          ...common,
          event,
          status
        })
      )

const DONE: Answer = { status: 204, message: null }

const reportOf = (notification: Notification, table: States, zone: DateTime.TimeZone): TelcoReport.Report | null => {
  const { eid = null, event, resultData = null, status } = notification
  const state = stateOf(table, event)
  const iccid = Iccid.parse(notification.iccid)
  const occurredAt = instantOf(notification.timestamp, zone)
  if (state === null || iccid === undefined || occurredAt === undefined) return null
  const content = JSON.stringify([iccid, eid, keyOf(event), occurredAt, Api.shown(status), resultData])
  const isDone = Api.failure("", status) === undefined
  const modificationResult = isDone ? status.status : Api.shown(status).slice(0, TextLimit.REPORTED)
  return {
    reportId: `es2plus-${createHash("sha256").update(content).digest("hex").slice(0, 40)}`,
    iccid,
    occurredAt,
    fact: { _tag: "SmdpState", state, modificationResult }
  }
}

/** The notifications of one SM-DP+. */
export const make = (options: Options = {}): Effect.Effect<DownloadProgress, never, Reports.Reports> =>
  Effect.map(Reports.Reports, (reports) => {
    const table = { ...states, ...options.states }
    const { isSupplied = () => Effect.succeed(true) } = options
    const zone = options.timeZone === undefined ? UTC : DateTime.zoneMakeNamedUnsafe(options.timeZone)
    const taken = Effect.fn("TelcoEs2plus.notification")(function* (body: unknown) {
      const notification = yield* read(body)
      const about = { iccid: notification.iccid, event: notification.event }
      const report = reportOf(notification, table, zone)
      if (report === null) {
        yield* Effect.logDebug("a notification of the SM-DP+ stands for no state", about)
        return DONE
      }
      if (!(yield* isSupplied(report.iccid))) {
        yield* Effect.logWarning("a notification of the SM-DP+ is rejected", {
          ...about,
          reason: "the SIM is not its own"
        })
        return DONE
      }
      const [verdict] = yield* reports.take({ reports: [report] })
      if (verdict?._tag === "Rejected") {
        yield* Effect.logWarning("a notification of the SM-DP+ is rejected", { ...about, reason: verdict.message })
      }
      return DONE
    })
    return {
      take: (body) =>
        Effect.catchTags(taken(body), {
          SchemaError: ({ message }) => Effect.succeed<Answer>({ status: 400, message }),
          StorageError: () => Effect.succeed<Answer>({ status: 503, message: "The storage is not available" })
        })
    }
  })

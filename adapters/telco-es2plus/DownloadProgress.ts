/**
 * `HandleDownloadProgressInfo` (SGP.22 section 5.3.5): what the SM-DP+ tells about the download of a profile becomes a telco
 * report of the app.
 *
 * The report's id follows from what is told, so a notification that comes twice counts once (rule R1). The answer to a
 * notification is empty (section 6.5.1): 204 also where the app rejects the report, since the same one would be rejected
 * again; the log says why.
 */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { Reports, Time } from "simplan"
import { type TelcoReport, TextLimit } from "simplan/ports"
import { ExecutionStatus } from "./HttpApi.ts"
import * as Iccid from "./Iccid.ts"
import { type States, states as standard } from "./States.ts"
import * as StatusCodes from "./StatusCodes.ts"

/** Which notification points tell which states. */
export interface Options {
  /** Changes to the table of `States`. */
  readonly states?: States
}

/** The HTTP status to answer with, and for one that is not 204 the reason. */
export interface Answer {
  /** 204: taken. 400: no notification. 503: the storage is out of reach, so it is to be sent again. */
  readonly status: 204 | 400 | 503
  /** Null where there is no body. */
  readonly message: string | null
}

/** Takes the notifications of `handleDownloadProgressInfo`. */
export interface DownloadProgress {
  /** Takes the decoded JSON of a notification. */
  readonly take: (body: unknown) => Effect.Effect<Answer>
}

/** Some senders write the number as text. */
const Point = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^\d{1,3}$/u))])

const Notification = Schema.Struct({
  eid: Schema.optionalKey(Schema.NullOr(Schema.String)),
  iccid: Schema.String.check(Schema.makeFilter((text: string) => Iccid.fromWire(text) !== undefined)),
  profileType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  timestamp: Schema.String.check(Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined)),
  notificationPointId: Point,
  notificationPointStatus: ExecutionStatus,
  resultData: Schema.optionalKey(Schema.NullOr(Schema.String))
})

type Notification = typeof Notification.Type

const decode = Schema.decodeUnknownEffect(Notification)

const pointOf = ({ notificationPointId }: Notification): string => String(Number(notificationPointId))

const DONE: Answer = { status: 204, message: null }

const idOf = (notification: Notification, iccid: string): string => {
  const { eid, notificationPointStatus, resultData, timestamp } = notification
  const told = [
    iccid,
    eid ?? null,
    pointOf(notification),
    Time.fromIso(timestamp),
    StatusCodes.shown(notificationPointStatus),
    resultData ?? null
  ]
  return `es2plus-${createHash("sha256").update(JSON.stringify(told)).digest("hex").slice(0, 40)}`
}

const reportOf = (notification: Notification, table: States): TelcoReport.Report | null => {
  const state = table[pointOf(notification)] ?? null
  const iccid = Iccid.fromWire(notification.iccid)
  const occurredAt = Time.fromIso(notification.timestamp)
  if (state === null || iccid === undefined || occurredAt === undefined) return null
  const { notificationPointStatus: status } = notification
  const isDone = StatusCodes.failure("", status) === undefined
  const modificationResult = isDone ? status.status : StatusCodes.shown(status).slice(0, TextLimit.REPORTED)
  return {
    reportId: idOf(notification, iccid),
    iccid,
    occurredAt,
    fact: { _tag: "SmdpState", state, modificationResult }
  }
}

/** The notifications of one SM-DP+. */
export const make = (options: Options = {}): Effect.Effect<DownloadProgress, never, Reports.Reports> =>
  Effect.map(Reports.Reports, (reports) => {
    const table = { ...standard, ...options.states }
    const taken = Effect.fn("TelcoEs2plus.handleDownloadProgressInfo")(function* (body: unknown) {
      const notification = yield* decode(body)
      const about = { iccid: notification.iccid, point: pointOf(notification) }
      const report = reportOf(notification, table)
      if (report === null) {
        yield* Effect.logDebug("a notification of the SM-DP+ tells no state", about)
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

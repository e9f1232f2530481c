/**
 * The functions of ES2+ that an operator calls (SGP.22 sections 5.3.1 to 5.3.4), typed, and how
 * they fail. `HttpApi` makes them over HTTPS.
 *
 * ICCIDs are digits here, as everywhere in simplan.
 *
 * What calls and notifications of ES2+ have in common in JSON: ICCIDs (SGP.22 sections 5.2.1 and
 * 6.5.2) and execution statuses (section 6.5.1.4, status codes in section 5.2.6).
 *
 * `Executed-Success` and `Executed-WithWarning` are done. `Expired` leaves the outcome unknown.
 * `Failed` has a subject and a reason, and what may be done next is decided by the first row that
 * fits:
 *
 * | subject/reason | outcome |
 * |---|---|
 * | 8.2.1/3.9 the ICCID is unknown | not found |
 * | 8.2.1/3.3 the profile is not available, or was downloaded; 8.2.1/3.5 invalid transition; 8.2.6/3.3 the matching id is in use; 8.2.6/3.10 another matching id belongs to the ICCID | wrong state |
 * | 1.x/4.4 busy | not done |
 * | 1.x/1.x the requester is unknown or may not; 1.3.x/x protocol | not done: the operator's settings are at fault |
 * | x/4.x processing error; x/5.x transport error, an SM-DS that does not answer among them | unknown |
 * | all others | refused |
 */
import { Context, Data, type Effect, Schema } from "effect"
import type { CallFailure } from "../telco-calls/index.ts"

/**
 * The ICCID on the wire. One of 19 digits gets the pad `F`, because SGP.22 before version 2.2 knows
 * only 20 characters, and later versions take both. One of 18 digits goes as it is, as clients of
 * ES2+ write it. `Iccid` reads what comes back.
 */
export const iccidToWire = (iccid: string): string => (iccid.length === 19 ? `${iccid}F` : iccid)

/** A text that may be left out. */
export const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** What became of a function, or of a step of a download. */
export const ExecutionStatus = Schema.Struct({
  status: Schema.String,
  statusCodeData: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        subjectCode: Schema.String,
        reasonCode: Schema.String,
        subjectIdentifier: Text,
        message: Text
      })
    )
  )
})

/** The status and, if it has any, its codes and its message. */
export type ExecutionStatus = typeof ExecutionStatus.Type

interface Row {
  readonly when: RegExp
  readonly outcome: Outcome
}

const table: ReadonlyArray<Row> = [
  { when: /^8\.2\.1\/3\.9$/, outcome: "NotFound" },
  { when: /^8\.2\.1\/3\.[35]$/, outcome: "WrongState" },
  { when: /^8\.2\.6\/3\.(3|10)$/, outcome: "WrongState" },
  { when: /^1[\d.]*\/4\.4$/, outcome: "NotDone" },
  { when: /^1[\d.]*\/1[\d.]*$/, outcome: "NotDone" },
  { when: /^1\.3[\d.]*\//, outcome: "NotDone" },
  { when: /\/[45][\d.]*$/, outcome: "Unknown" }
]

const LONGEST_MESSAGE = 200

const outcomeOf = ({ status, statusCodeData }: ExecutionStatus): Outcome => {
  if (status !== "Failed") return "Unknown"
  if (!statusCodeData) return "Refused"
  const code = `${statusCodeData.subjectCode}/${statusCodeData.reasonCode}`
  return table.find(({ when }) => when.test(code))?.outcome ?? "Refused"
}

/** The codes and the message of a status, for people. */
export const shown = ({ status, statusCodeData }: ExecutionStatus): string => {
  if (!statusCodeData) return status
  const { message, reasonCode, subjectCode } = statusCodeData
  const text = message ? `: ${message.slice(0, LONGEST_MESSAGE)}` : ""
  return `${status} ${subjectCode}/${reasonCode}${text}`
}

/** The failure that an execution status stands for; undefined if the call was executed. */
export const failure = (operation: string, status: ExecutionStatus): Failure | undefined =>
  status.status === "Executed-Success" || status.status === "Executed-WithWarning"
    ? undefined
    : new Failure({ outcome: outcomeOf(status), message: `The SM-DP+ answers ${operation}: ${shown(status)}` })

/**
 * Beside the outcomes of all telcos, `WrongState`: the profile's state, or that of its order, does
 * not allow the call.
 */
export type Outcome = CallFailure.Outcome | "WrongState"

/** How a function of ES2+ fails. */
export class Failure extends Data.TaggedError("Es2plus.Failure")<{
  /** What may be done next depends on it. */
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  /** Absent: the SM-DP+ does not say. */
  readonly retryAfterSeconds?: number
}> {}

/** What every call is about. */
export interface Of {
  /** The `functionCallIdentifier`: a call that is repeated has the same one. */
  readonly callId: string
  /** The ICCID of the profile. */
  readonly iccid: string
}

type Call<A> = Effect.Effect<A, Failure>

/** The functions of ES2+ that a release needs. Each fails with `Failure`. */
export class Api extends Context.Service<
  Api,
  {
    /**
     * Section 5.3.1: reserves the profile for a download. It has to be Available, and is Allocated
     * then.
     */
    readonly downloadOrder: (of: Of) => Call<void>
    /**
     * Section 5.3.2: gives the reserved profile its matching id, by which a device asks for it; the
     * SM-DP+ chooses one if it is null. The profile is Confirmed then, or Released if
     * `isReleased`. The matching id, if the answer has it.
     */
    readonly confirmOrder: (
      of: Of & { readonly matchingId: string | null; readonly isReleased: boolean }
    ) => Call<string | null>
    /**
     * Section 5.3.3: takes back an order that was not downloaded. The profile is Available then, or
     * Unavailable for good.
     */
    readonly cancelOrder: (
      of: Of & { readonly matchingId: string | null; readonly finalStatus: "Available" | "Unavailable" }
    ) => Call<void>
    /** Section 5.3.4: lets devices download a Confirmed profile. It is Released then. */
    readonly releaseProfile: (of: Of) => Call<void>
    /** Whether the SM-DP+ can be reached under the certificate. Calls none of its functions. */
    readonly check: Call<void>
  }
>()("simplan/TelcoEs2plus/Api") {}

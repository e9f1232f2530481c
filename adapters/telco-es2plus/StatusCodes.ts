/**
 * What the execution status of an answer means (SGP.22 section 6.5.1.4, status codes in section 5.2.6).
 *
 * `Executed-Success` and `Executed-WithWarning` are done. `Expired` leaves the outcome unknown. `Failed` has a subject and a
 * reason, and what may be done next is decided by the first row that fits:
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
import { type Outcome, Failure } from "./Failure.ts"

export interface ExecutionStatus {
  readonly status: string
  readonly statusCodeData?:
    | {
        readonly subjectCode: string
        readonly reasonCode: string
        readonly subjectIdentifier?: string | null | undefined
        readonly message?: string | null | undefined
      }
    | null
    | undefined
}

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

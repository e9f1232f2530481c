/**
 * Commands: what a host asks of the telco inside its own database transaction (rule H1).
 *
 * Inside that transaction nothing is called outside the database. The command is stored with the
 * host's rows and is committed or rolled back with them. After the commit its job carries it out
 * once: each attempt ends in a commit that either settles the command or leaves the job of the next
 * attempt.
 */
import { Result } from "effect"
import { nextTry } from "./Backoff.ts"
import type { NewJob } from "./Decision.ts"
import * as Id from "./Id.ts"
import type { Answer, Outcome } from "./Idempotency.ts"
import type { Job } from "./Job.ts"
import type { Label } from "./Label.ts"
import * as Refusals from "./Refusal.ts"
import type { Refusal } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"
import { SECOND } from "./Time.ts"
import type { Data, Payload } from "./WebhookEvent.ts"

/**
 * What can be asked for. Each one is a call of the telco that a host cannot make inside its
 * transaction.
 */
export type Request =
  /**
   * A subscription on a free eSIM of the plan's label, or the plan on the SIM that is named
   * (rule S1).
   */
  | {
      readonly _tag: "CreateSubscription"
      readonly planId: string
      readonly metadata: string
      readonly iccid: string | null
      readonly activePeriod: { readonly start: Instant | null; readonly end: Instant | null } | null
    }
  | { readonly _tag: "SendSms"; readonly iccid: string; readonly from: string; readonly text: string }
  /** Apply or remove the mobile plan of an eSIM (rule I6). */
  | {
      readonly _tag: "SetMobilePlan"
      readonly apply: boolean
      readonly label: Label
      readonly iccid: string | null
    }

/** The method of the host that submits each kind of request, as its events name it. */
export const methods = {
  CreateSubscription: "subscriptions.create",
  SendSms: "messages.send",
  SetMobilePlan: "wallet.setMobilePlan"
} as const satisfies Readonly<Record<Request["_tag"], Data<"command.done">["method"]>>

/** A method that submits commands. */
export type Method = (typeof methods)[keyof typeof methods]

/** What a host has asked of the telco in its transaction, and what became of it (rule H1). */
export interface Command {
  /** The organization that owns it. */
  readonly organizationId: string
  /**
   * With an idempotency key it follows from that key, so a repeated submission finds its command.
   */
  readonly commandId: string
  /** What is to be done; it never changes. */
  readonly request: Request
  /** Business time. */
  readonly createdAt: Instant
  /** `Pending` until it is settled; then the answer or the refusal, for good. */
  readonly outcome: Outcome
  /** When the outcome was known; null while it is pending. */
  readonly settledAt: Instant | null
}

/** `pending` until it is settled; then `done`, or `refused`, as a cancelled one is too. */
export const states = ["pending", "done", "refused"] as const

/** How a command stands. */
export type State = (typeof states)[number]

/** How a command stands, by its outcome. */
export const stateOf = ({ outcome }: Pick<Command, "outcome">): State => {
  switch (outcome._tag) {
    case "Pending":
      return "pending"
    case "Succeeded":
      return "done"
    case "Refused":
      return "refused"
  }
}

/** The outcome of a command. */
export type Settlement = Pick<Command, "organizationId" | "commandId" | "outcome"> & { readonly settledAt: Instant }

/**
 * The text whose SHA-256 names the command of an idempotency key. It is ASCII, whatever the key is.
 */
export const keyText = (organizationId: string, request: Pick<Request, "_tag">, key: string): string =>
  JSON.stringify([organizationId, request._tag, key]).replace(
    /[^\u0020-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/**
 * The id of the command with that key: the same key gives the same id, so a repeated request finds
 * its command.
 */
export const idOf = (digest: string): string => Id.uuid8(digest)

/** Rule W9: the idempotency key of a command has 1 to 255 characters. */
export const checkKey = (key: string): Result.Result<string, Refusals.InvalidField> =>
  key === ""
    ? Result.fail(new Refusals.InvalidField({ field: "idempotencyKey", message: "must not be empty" }))
    : TextLimit.check("idempotencyKey", key, TextLimit.ID)

/** Names a command in the whole service. */
export type Key = Pick<Command, "organizationId" | "commandId">

/** The id by which hosts know the command: the submission gives it, and its events have it. */
export const publicId = ({ commandId, organizationId }: Key): string => `${organizationId}:${commandId}`

const PUBLIC_ID = /^(.{1,255}):([0-9a-f-]{36})$/

/** The command of that id; undefined for a text that is none. */
export const ofPublicId = (id: string): Key | undefined => {
  const [, organizationId, commandId] = PUBLIC_ID.exec(Id.canonical(id)) ?? []
  return organizationId === undefined || commandId === undefined ? undefined : { organizationId, commandId }
}

/** What the host has sent with the command for its own use; null for a request that has none. */
export const metadata = (request: Request): string | null => ("metadata" in request ? request.metadata : null)

/** Rule E1: the type of the event of an outcome; null while there is none. */
export const eventType = (outcome: Outcome) => {
  const state = stateOf({ outcome })
  return state === "pending" ? null : (`command.${state}` as const)
}

/** Rule E1: what the event of a command that was done says of its result. */
const resultOf = (request: Request, answer: Answer): Omit<Data<"command.done">, "id" | "method" | "metadata"> => {
  const none = { subscriptionId: null, attachmentId: null, hasActivationCode: null }
  if (answer.kind === "Created") {
    const { attachmentId, sim, subscriptionId } = answer.value
    return { esim: sim.iccid, subscriptionId, attachmentId, hasActivationCode: sim.lpa !== null }
  }
  if (answer.kind === "MobilePlan") return { esim: answer.value.iccid, ...none }
  return { esim: request.iccid, ...none }
}

/** Rule E1: the event of an outcome; null while there is none. */
export const event = ({ commandId, organizationId, request }: Command, outcome: Outcome): Payload | null => {
  const id = publicId({ organizationId, commandId })
  const data = { id, method: methods[request._tag], metadata: metadata(request) }
  switch (outcome._tag) {
    case "Pending":
      return null
    case "Succeeded":
      return { type: "command.done", data: { ...data, ...resultOf(request, outcome.answer) } }
    case "Refused": {
      const { refusal } = outcome
      // No storage keeps NUL in a text, which a telco may have sent.
      const message = Refusals.sentence(refusal).replaceAll("\0", "\uFFFD").toWellFormed()
      return { type: "command.refused", data: { ...data, code: Refusals.code(refusal), message } }
    }
  }
}

/** The outcome of a command that its host has cancelled. */
export const cancellation = (commandId: string): Outcome => ({
  _tag: "Refused",
  refusal: Refusals.toPlain(new Refusals.CommandCancelled({ commandId }))
})

/** Whether its host has cancelled it. */
export const isCancelled = ({ outcome }: Pick<Command, "outcome">): boolean =>
  outcome._tag === "Refused" && outcome.refusal._tag === "CommandCancelled"

/**
 * Rule H1: whether the command has begun, by the job that carries it out: null if there is none.
 * The first commit of an attempt ends the job, and an attempt without a commit is counted, so a
 * command with its first job has done nothing.
 */
export const hasBegun = (job: Pick<Job, "attempts"> | null): boolean => job === null || job.attempts > 0

/** The id of the job that carries the command out. */
export const jobId = (commandId: string): string => `command:${commandId}`

/** The job that carries the command out. */
export const job = (commandId: string, dueAt: Instant): NewJob => ({
  jobId: jobId(commandId),
  work: { _tag: "RunCommand", commandId },
  dueAt
})

/**
 * When a command is tried again after `attempts` attempts, and at the earliest after so many
 * seconds.
 */
export const nextAttempt = (attempts: number, now: Instant, afterSeconds = 0): Instant =>
  Math.max(nextTry(attempts, now), now + afterSeconds * SECOND)

/**
 * Rule H1: whether this failure of an attempt settles the command. While the telco cannot be
 * reached, or SIMs are being put into service or released, the command is tried again.
 */
export const isFinal = (refusal: Refusal): boolean => Refusals.retry(refusal) !== "Soon"

/**
 * Idempotency keys (rule W2): the first final answer under a key is kept for 24 h and replayed.
 *
 * The record is written in the request's first commit. While the outcome depends on a job the
 * record is `Pending`. The job's last commit settles or deletes the record, so a crash leaves no
 * key stuck. A request of many commits holds its record for a while, again and again: after a crash
 * the same request goes on behind what is committed.
 */
import { Result } from "effect"
import type { ApiKey } from "./ApiKey.ts"
import * as CanonicalJson from "./CanonicalJson.ts"
import * as Iccid from "./Iccid.ts"
import * as Id from "./Id.ts"
import type { MobilePlanStatus } from "./MobilePlan.ts"
import type { Organization } from "./Organization.ts"
import { canonicalId } from "./Package.ts"
import type { Plan } from "./Plan.ts"
import { IdempotencyKeyReused, isRefusal, type Plain, type Refusal, RequestInProgress, retry } from "./Refusal.ts"
import type { Region } from "./Region.ts"
import type { Kept } from "./SimCorrection.ts"
import type { Sent } from "./SmsSegments.ts"
import type { MadePlan } from "./SoldBundle.ts"
import type { Created, Replaced } from "./Subscription.ts"
import type { Instant } from "./Time.ts"
import { DAY, SECOND } from "./Time.ts"

/** How long an answer is replayed. */
export const RETENTION = DAY

/** The answers of requests by kind: plain values, which are stored and replayed unchanged. */
export interface Answers {
  /** The answer says only that it is done. */
  readonly Done: null
  /** The plan as it was when the request ended. */
  readonly Plan: Plan
  /** The plan that was made of a supplier's bundle (rule P6). */
  readonly MadePlan: MadePlan
  /** The custom region that was made. */
  readonly Region: Region
  /** The subscription or attachment that was created (rule S1). */
  readonly Created: Created
  /** The subscription on its new SIM (rule S8). */
  readonly Replaced: Replaced
  /** What the eSIM's mobile plan is after the request (rule I6). */
  readonly MobilePlan: MobilePlanStatus
  /** How the message was split into segments. */
  readonly Sms: Sent
  /** The organization that was made. */
  readonly Organization: Organization
  /** Without the key's secret, which is kept nowhere (rule W3). */
  readonly ApiKey: ApiKey
  /** Only the id of the endpoint, because its signing keys may have to be encrypted (rule W6). */
  readonly Endpoint: { readonly endpointId: string }
  /** What came of the rows of many corrections (rule I9). */
  readonly Corrections: Kept
  /** The answer of a request that has no kind of its own, as JSON. */
  readonly Json: string
}

/** An answer with its kind, as it is stored. */
export type Answer = {
  readonly [Kind in keyof Answers]: { readonly kind: Kind; readonly value: Answers[Kind] }
}[keyof Answers]

/** How a kind of answer is stored and replayed. */
export interface Kind<A> {
  /** What is stored of the answer. */
  readonly keep: (value: A) => Answer
  /** Undefined if the answer is of another kind. */
  readonly read: (answer: Answer) => { readonly value: A } | undefined
}

/** Each kind of answer by its name. */
export const kinds: { readonly [Name in keyof Answers]: Kind<Answers[Name]> } = {
  Done: {
    keep: (value) => ({ kind: "Done", value }),
    read: (answer) => (answer.kind === "Done" ? answer : undefined)
  },
  Plan: {
    keep: (value) => ({ kind: "Plan", value }),
    // One that an earlier version has kept says neither.
    read: (answer) =>
      answer.kind === "Plan" ? { value: { ...{ metadata: "", price: null }, ...answer.value } } : undefined
  },
  MadePlan: {
    keep: (value) => ({ kind: "MadePlan", value }),
    read: (answer) => (answer.kind === "MadePlan" ? answer : undefined)
  },
  Region: {
    keep: (value) => ({ kind: "Region", value }),
    read: (answer) => (answer.kind === "Region" ? answer : undefined)
  },
  Created: {
    keep: (value) => ({ kind: "Created", value }),
    read: (answer) => (answer.kind === "Created" ? answer : undefined)
  },
  Replaced: {
    keep: (value) => ({ kind: "Replaced", value }),
    read: (answer) => (answer.kind === "Replaced" ? answer : undefined)
  },
  MobilePlan: {
    keep: (value) => ({ kind: "MobilePlan", value }),
    read: (answer) => (answer.kind === "MobilePlan" ? answer : undefined)
  },
  Sms: {
    keep: (value) => ({ kind: "Sms", value }),
    read: (answer) => (answer.kind === "Sms" ? answer : undefined)
  },
  Organization: {
    keep: (value) => ({ kind: "Organization", value }),
    read: (answer) => (answer.kind === "Organization" ? answer : undefined)
  },
  ApiKey: {
    keep: (value) => ({ kind: "ApiKey", value }),
    read: (answer) => (answer.kind === "ApiKey" ? answer : undefined)
  },
  Endpoint: {
    keep: ({ endpointId }) => ({ kind: "Endpoint", value: { endpointId } }),
    read: (answer) => (answer.kind === "Endpoint" ? answer : undefined)
  },
  Corrections: {
    keep: (value) => ({ kind: "Corrections", value }),
    read: (answer) => (answer.kind === "Corrections" ? answer : undefined)
  },
  Json: {
    keep: (value) => ({ kind: "Json", value }),
    read: (answer) => (answer.kind === "Json" ? answer : undefined)
  }
}

/** What became of a request or a command: `Pending` while a job is to bring it about. */
export type Outcome =
  /** With `attemptId` a request has gone on with that attempt, which was interrupted (rule S5). */
  | { readonly _tag: "Pending"; readonly attemptId?: string }
  | { readonly _tag: "Succeeded"; readonly answer: Answer }
  | { readonly _tag: "Refused"; readonly refusal: Plain }

/**
 * The creation or change of the mobile plan under the key has ended without an answer of the telco
 * (rule S5). While its attempt is there the same request goes on with it; from then on until it is
 * undone the request is refused.
 */
export interface Interrupted {
  readonly _tag: "Interrupted"
  /** The SIM that the attempt holds; empty if it corrects many. */
  readonly iccid: string
  /**
   * What the telco's calls and the jobs are named after: the unconfirmed attachment's id, or that
   * of the change. Of many corrections a name of who corrects them.
   */
  readonly attemptId: string
  /**
   * What came of the rows that are committed, of many corrections: the same request goes on behind
   * them.
   */
  readonly kept?: Kept
  /**
   * Machine time, until which the attempt is taken for one that is under way; absent if it has
   * ended.
   */
  readonly heldUntil?: Instant
}

/** A request that carries an idempotency key. */
export interface RequestKey {
  /** Empty for a request of the host that is about no organization. */
  readonly organizationId: string
  /** The caller's `Idempotency-Key`. */
  readonly key: string
  /** A digest of what is asked for (`meaning`). */
  readonly fingerprint: string
}

/** The first request under a key, and what came of it. */
export interface IdempotencyRecord extends RequestKey {
  /** Business time, from which the 24 h count (rule W2). */
  readonly createdAt: Instant
  /** `Pending` until the request's last commit settles it. */
  readonly outcome: Outcome | Interrupted
}

/** Those that the state of the inventory caused. */
const ofStock: ReadonlySet<Refusal["_tag"]> = new Set(["SimBusy", "NoFreeSim", "SimsReleasing", "PackagesListed"])

/**
 * Rule W2: whether this failure is the request's final answer. One that the telco's state caused is
 * not, nor is that no SIM is free: callers repeat a creation under its key after an outage, when
 * SIMs return and stock is imported.
 */
export const isFinal = (error: unknown): error is Refusal => isRefusal(error) && retry(error) === "Never"

/**
 * Rule W2: whether this failure may be the doing of a twin, a request under the same key that has
 * taken the SIM. Then the twin's outcome is the answer.
 */
export const isOfStock = (error: unknown): boolean => isRefusal(error) && ofStock.has(error._tag)

/**
 * Rule W2: whether a twin goes on with the attempt that the request found interrupted. The twin's
 * outcome is the answer, if there is one.
 */
export const isOfTwin = (error: unknown): boolean => isRefusal(error) && error._tag === "RequestInProgress"

/**
 * Rules I1 and I13: a name of a SIM or of a thing as it is kept, however it is written; any other
 * text as it is.
 */
export const named = (text: string): string => Iccid.canonical(canonicalId(Id.canonical(text)))

/** Fields whose texts are names of SIMs or things. Others may have texts that only look so. */
const NAMES = /^(?:iccids?|\w+_ids?)$/

/**
 * Rule W2: the text whose digest is a request's fingerprint: what is called, and what it is called
 * with as a value of JSON (`CanonicalJson`), all of it: a field that nobody reads counts too. Names
 * count as they are kept.
 */
export const meaning = (called: string, value: unknown): string =>
  `${called}\n${CanonicalJson.text(value, (text, field) => (NAMES.test(field) ? named(text) : text))}`

type Fingerprinted = Pick<RequestKey, "fingerprint">

/** Whether the record is still valid at `now`. */
export const isKept = (record: IdempotencyRecord, now: Instant): boolean => record.createdAt > now - RETENTION

/**
 * The interrupted attempt that this request repeats; null if the record is of something else, or
 * the attempt is under way at `machineNow`.
 */
export const interruptedBy = (
  record: IdempotencyRecord,
  request: Fingerprinted,
  machineNow: Instant = Number.POSITIVE_INFINITY
): Interrupted | null => {
  const left =
    record.outcome._tag === "Interrupted" && record.fingerprint === request.fingerprint ? record.outcome : null
  return left === null || (left.heldUntil ?? machineNow) > machineNow ? null : left
}

/**
 * How long an interrupted attempt waits for its request beyond the seconds that the caller was
 * asked to wait.
 */
const WAIT_LIMIT = 5 * SECOND

/**
 * Rule S5: when an attempt that was interrupted now is undone, unless its request has come again.
 */
export const undoneAt = (now: Instant, retryAfterSeconds: number): Instant =>
  now + retryAfterSeconds * SECOND + WAIT_LIMIT

/**
 * Whether a request has gone on with the attempt; false if it has not come again, or the key has
 * another by now.
 */
export const isResumed = (record: IdempotencyRecord | null, attemptId: string): boolean =>
  record?.outcome._tag === "Pending" && record.outcome.attemptId === attemptId

/**
 * Rule W2: the answer to a later request under the record's key. `IdempotencyKeyReused` if the
 * later request has another fingerprint or another kind of answer; `RequestInProgress` while the
 * outcome is pending, or was interrupted.
 */
export const answer = <Name extends keyof Answers>(
  name: Name,
  record: IdempotencyRecord,
  request: Fingerprinted
): Result.Result<Answers[Name], Plain> => {
  const { key, outcome } = record
  if (record.fingerprint !== request.fingerprint) return Result.fail(new IdempotencyKeyReused({ key }))
  switch (outcome._tag) {
    case "Pending":
    case "Interrupted":
      return Result.fail(new RequestInProgress({ key }))
    case "Refused":
      return Result.fail(outcome.refusal)
    case "Succeeded": {
      const answered = kinds[name].read(outcome.answer)
      return answered === undefined ? Result.fail(new IdempotencyKeyReused({ key })) : Result.succeed(answered.value)
    }
  }
}

/**
 * Whether what `answer` gave is the outcome of the first request, and not a refusal of the later
 * one.
 */
export const isReplay = (answered: Result.Result<unknown, Plain>): boolean =>
  Result.isSuccess(answered) ||
  (answered.failure._tag !== "IdempotencyKeyReused" && answered.failure._tag !== "RequestInProgress")

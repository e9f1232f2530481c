/**
 * The occurrences of a recurring attachment (rule T5). Each one is created at the telco, or
 * recorded as refused, or recorded as lapsed: its whole period was over, or its attachment
 * suspended, before the telco had taken it.
 */
import type * as Attachment from "./Attachment.ts"
import type { Decision, NewJob } from "./Decision.ts"
import type { ForOccurrence } from "./SimAggregate.ts"
import type { Package } from "./Package.ts"
import { packageId } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import { addDays, type Instant } from "./Time.ts"

/** The part of an attachment that its occurrences depend on. */
export type Recurring = Pick<
  Attachment.Attachment,
  "organizationId" | "iccid" | "attachmentId" | "terms" | "anchor" | "suspendedAt" | "replacements"
>

type Of = ForOccurrence["attachments"][0]

/** A package as the telco reports it. */
export interface TelcoTimes {
  /** The telco's own name of the package. Null: it gave none. */
  readonly telcoPackageId: string | null
  /** Null: the telco gave none. */
  readonly activationAt: Instant | null
  /** Null: the telco gave none. */
  readonly expirationAt: Instant | null
}

/** The outcome of an occurrence at the telco. */
export type Outcome =
  | { readonly _tag: "Created"; readonly telco: TelcoTimes }
  /** `message`: what the telco said. */
  | { readonly _tag: "Refused"; readonly message: string }
  | { readonly _tag: "Lapsed" }

/** What the job of an occurrence has to do. */
export type Step =
  | { readonly _tag: "Order"; readonly attachment: Recurring; readonly window: Recurrence.Window }
  | { readonly _tag: "Record"; readonly outcome: Outcome }
  /**
   * The occurrence is recorded already, or its attachment was suspended before the occurrence was
   * due.
   */
  | { readonly _tag: "Nothing" }
  /** The attachment is gone: the package is cancelled at the telco, which may have it. */
  | { readonly _tag: "Gone" }

/**
 * The job that creates an occurrence. None if the recurrence has ended, or was suspended before the
 * occurrence was due. `isFirst`: nothing was ordered on its SIM yet (rule S5).
 */
export const next = (
  attachment: Omit<Recurring, "organizationId" | "terms"> & { readonly terms: Pick<PlanTerms, "recurrence"> },
  occurrence: number,
  isFirst = false
): NewJob | undefined => {
  const { anchor, attachmentId, iccid, replacements, suspendedAt, terms } = attachment
  if (terms.recurrence === null || anchor === null || occurrence >= terms.recurrence.occurrences) return undefined
  const dueAt = Recurrence.dueAt(terms.recurrence, anchor, occurrence)
  if (suspendedAt !== null && suspendedAt < dueAt) return undefined
  return {
    jobId: packageId(attachmentId, occurrence, replacements),
    work: {
      _tag: "CreatePackage",
      iccid,
      attachmentId,
      occurrence,
      ...(replacements > 0 && { replacement: replacements }),
      ...(isFirst && { isFirst })
    },
    dueAt
  }
}

/** What a job of an occurrence names. */
export interface Named {
  /** The SIM that it was left for. */
  readonly iccid: string
  /** Whose occurrence it is. */
  readonly attachmentId: string
  /** From 0. */
  readonly occurrence: number
  /** Absent: 0. */
  readonly replacement?: number
  /** Nothing was ordered on its SIM before (rule S5). Absent: something was. */
  readonly isFirst?: true
}

/**
 * The view, if the attachment is still on the SIM that the job was left for; else null
 * (rule S8).
 */
export const stillOf =
  ({ replacement = 0 }: Named) =>
  (present: ForOccurrence | null): ForOccurrence | null =>
    present?.attachments[0].attachment.replacements === replacement ? present : null

const isRecorded = ({ packages }: Of, occurrence: number): boolean =>
  packages.some((pack) => pack.occurrence === occurrence)

/**
 * Rule T5: orders the occurrence, unless its period is over, its attachment suspended or gone, or
 * it is recorded already.
 */
export const step = (present: ForOccurrence | null, occurrence: number, now: Instant): Step => {
  if (present === null) return { _tag: "Gone" }
  const [of] = present.attachments
  const { attachment } = of
  const { anchor, suspendedAt, terms } = attachment
  if (isRecorded(of, occurrence)) return { _tag: "Nothing" }
  if (terms.recurrence === null || anchor === null) return { _tag: "Nothing" }
  if (next(attachment, occurrence) === undefined) return { _tag: "Nothing" }
  const window = Recurrence.window(terms, terms.recurrence, anchor, occurrence)
  if (suspendedAt !== null || Recurrence.isOver(window, now)) return { _tag: "Record", outcome: { _tag: "Lapsed" } }
  return { _tag: "Order", attachment, window }
}

/**
 * Rule T5: records the outcome of an occurrence, and the job of the next one. If the attachment was
 * suspended or deleted while the telco was called, a job suspends or cancels the package there. If
 * the outcome is unknown and the attachment was suspended, a job cancels the package, whether or
 * not the telco has it.
 */
export const record = (present: ForOccurrence | null, work: Named, outcome: Outcome, now: Instant): Decision => {
  const { attachmentId, iccid, occurrence } = work
  const id = packageId(attachmentId, occurrence, work.replacement)
  if (present === null) {
    return outcome._tag === "Created" ? { jobs: [cancellation(iccid, id, now)] } : {}
  }
  const [of] = present.attachments
  const { attachment } = of
  const following = next(attachment, occurrence + 1, work.isFirst === true && outcome._tag !== "Created")
  const jobs = following === undefined ? [] : [following]
  const { anchor, suspendedAt, terms } = attachment
  if (terms.recurrence === null || anchor === null) return { jobs }
  if (isRecorded(of, occurrence)) return { jobs }
  const window = Recurrence.window(terms, terms.recurrence, anchor, occurrence)
  if (outcome._tag === "Created" && suspendedAt !== null) {
    jobs.push({ jobId: `suspend:${id}`, work: { _tag: "SuspendPackages", iccid, attachmentId }, dueAt: now })
  }
  if (outcome._tag === "Lapsed" && suspendedAt !== null && !Recurrence.isOver(window, now)) {
    jobs.push(cancellation(iccid, id, now))
  }
  const recorded = packageOf(attachment, occurrence, window, outcome._tag === "Created" ? outcome.telco : null)
  const added: Package =
    outcome._tag === "Refused" ? { ...recorded, status: "Refused", refusal: outcome.message } : recorded
  const after = { ...present, attachments: [{ attachment, packages: [...of.packages, added] }] }
  return { sim: { loaded: present, next: after }, jobs }
}

/** The job that cancels one package at the telco, whether or not the telco has it. */
export const cancellation = (iccid: string, id: string, now: Instant): NewJob => ({
  jobId: `cancel:${id}`,
  work: { _tag: "CancelPackages", iccid, packageIds: [id], release: null },
  dueAt: now
})

/**
 * Rule T6: the package of an occurrence. The telco's times replace the computed ones. `telco` is
 * null for a lapsed occurrence. A package that starts at its first use has no times before that,
 * unless the telco names an activation.
 */
export const packageOf = (
  attachment: Recurring,
  occurrence: number,
  window: Recurrence.Window | null,
  telco: TelcoTimes | null
): Package => {
  const reported = window !== null || attachment.terms.recurrence === null ? telco : null
  const activationAt = reported?.activationAt ?? window?.start ?? null
  const validUntil = (from: Instant) => addDays(from, attachment.terms.periodDays)
  return {
    organizationId: attachment.organizationId,
    iccid: attachment.iccid,
    attachmentId: attachment.attachmentId,
    occurrence,
    status: telco === null ? "Lapsed" : "Created",
    refusal: null,
    telcoPackageId: telco?.telcoPackageId ?? null,
    activationAt,
    expirationAt: activationAt === null ? null : (reported?.expirationAt ?? window?.end ?? validUntil(activationAt)),
    usedBytes: 0,
    replacement:
      attachment.replacements === 0 ? null : { number: attachment.replacements, usedBefore: 0, isAwaited: false }
  }
}

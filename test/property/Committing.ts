/**
 * Commits decisions about one SIM in memory, as a storage would, and keeps the jobs that they create.
 */
import type { Attachment } from "../../src/domain/Attachment.ts"
import type { Confirmed, Decision, NewJob } from "../../src/domain/Decision.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import type { Package } from "../../src/domain/Package.ts"

export interface Kept {
  readonly line: SimAggregate
  /** By id: the same work cannot be stored twice. */
  readonly jobs: ReadonlyMap<string, NewJob>
}

const withAttachment = (line: SimAggregate, next: Attachment): SimAggregate => {
  const known = line.attachments.some(({ attachment }) => attachment.attachmentId === next.attachmentId)
  return {
    ...line,
    attachments: known
      ? line.attachments.map((of) =>
          of.attachment.attachmentId === next.attachmentId ? { ...of, attachment: next } : of
        )
      : [...line.attachments, { attachment: next, packages: [] }]
  }
}

const withPackage = (line: SimAggregate, next: Package): SimAggregate => ({
  ...line,
  attachments: line.attachments.map((of) => {
    if (of.attachment.attachmentId !== next.attachmentId) return of
    const others = of.packages.filter(({ occurrence }) => occurrence !== next.occurrence)
    return { ...of, packages: [...others, next].sort((left, right) => left.occurrence - right.occurrence) }
  })
})

const withConfirmed = (line: SimAggregate, { attachmentId, subscriptionId }: Confirmed): SimAggregate => ({
  sim: { ...line.sim, hold: { _tag: "InService", subscriptionId } },
  subscription: line.subscription && { ...line.subscription, status: "Live" },
  attachments: line.attachments.map((of) =>
    of.attachment.attachmentId === attachmentId ? { ...of, attachment: { ...of.attachment, confirmed: true } } : of
  )
})

/** The state after a decision. A deleted subscription is not part of the SIM's aggregate any more. */
export const commit = (kept: Kept, decision: Decision): Kept => {
  const { removedAttachment, removedSubscription } = decision
  let line: SimAggregate = { ...kept.line, sim: decision.sim ?? kept.line.sim }
  if (decision.confirmed !== undefined) line = withConfirmed(line, decision.confirmed)
  for (const attachment of decision.attachments ?? []) line = withAttachment(line, attachment)
  for (const pack of decision.packages ?? []) line = withPackage(line, pack)
  const remaining = line.attachments.filter(
    ({ attachment }) => attachment.attachmentId !== removedAttachment?.attachmentId
  )
  const subscription = removedSubscription === undefined ? (decision.subscription ?? line.subscription) : null
  const gone = subscription === null || subscription.status === "Deleted"
  return {
    line: { ...line, subscription: gone ? null : subscription, attachments: gone ? [] : remaining },
    jobs: new Map([...kept.jobs, ...(decision.jobs ?? []).map((job) => [job.jobId, job] as const)])
  }
}

/** The earliest job that is due at `now`, and the state without that job. */
export const claim = (kept: Kept, now: number): { readonly job: NewJob; readonly rest: Kept } | undefined => {
  const [job] = [...kept.jobs.values()].filter(({ dueAt }) => dueAt <= now).sort((a, b) => a.dueAt - b.dueAt)
  if (job === undefined) return undefined
  return { job, rest: { ...kept, jobs: new Map([...kept.jobs].filter(([id]) => id !== job.jobId)) } }
}

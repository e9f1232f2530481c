/** Printed from the views by `npm run print`: copies to the wire's form, and from the bodies of requests. */
import { Time } from "simplan"
import type { Jobs as Views, View } from "simplan/views"

export const waitingJob = (of: View.Of<typeof Views.WaitingJob>): View.OnWire<typeof Views.WaitingJob> => ({
  job_id: of.jobId,
  kind: of.kind,
  organization_id: of.organizationId,
  organization_name: of.organizationName,
  iccid: of.iccid,
  reason: of.reason,
  last_message: of.lastMessage,
  since: Time.toIso(of.since),
  next_try_at: Time.toIso(of.nextTryAt),
  attempts: of.attempts,
  created_at: Time.toIso(of.createdAt)
})

export const problem = (of: View.Of<typeof Views.Problem>): View.OnWire<typeof Views.Problem> => ({
  problem_id: of.problemId,
  kind: of.kind,
  organization_id: of.organizationId,
  organization_name: of.organizationName,
  iccid: of.iccid,
  since: Time.toIso(of.since),
  ended_at: Time.toIso(of.endedAt),
  attempts: of.attempts,
  last_message: of.lastMessage,
  ours: of.ours,
  theirs: of.theirs,
  can_correct: of.canCorrect
})

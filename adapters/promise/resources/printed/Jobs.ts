/** Printed from the views by `npm run print`: copies to the host's form. */
import type { Jobs as Views, View } from "simplan/views"
import * as Arguments from "../../Arguments.ts"
import type * as Types from "../../types/printed/Jobs.ts"

export const waitingJob = (of: View.Of<typeof Views.WaitingJob>): Types.WaitingJob => ({
  jobId: of.jobId,
  kind: of.kind,
  organizationId: of.organizationId,
  organizationName: of.organizationName,
  iccid: of.iccid,
  reason: of.reason,
  lastMessage: of.lastMessage,
  since: Arguments.toDate(of.since),
  nextTryAt: Arguments.toDate(of.nextTryAt),
  attempts: of.attempts,
  createdAt: Arguments.toDate(of.createdAt)
})

export const problem = (of: View.Of<typeof Views.Problem>): Types.Problem => ({
  problemId: of.problemId,
  kind: of.kind,
  organizationId: of.organizationId,
  organizationName: of.organizationName,
  iccid: of.iccid,
  since: Arguments.toDate(of.since),
  endedAt: Arguments.toDate(of.endedAt),
  attempts: of.attempts,
  lastMessage: of.lastMessage,
  ours: of.ours,
  theirs: of.theirs,
  canCorrect: of.canCorrect
})

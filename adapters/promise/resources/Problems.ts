/**
 * Problems.
 */
import { Effect, Schema } from "effect"
import { Problems } from "simplan"
import type { Job } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import * as Pages from "../Pages.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Operation.ts"

const shape = (job: Job.Job): Types.Problem => ({
  organizationId: job.organizationId,
  problemId: job.jobId,
  kind: job.work._tag,
  iccid: "iccid" in job.work ? job.work.iccid : null,
  since: Arguments.toDate(job.refused?.since ?? job.createdAt),
  endedAt: Arguments.toDate(job.endedAt ?? job.createdAt),
  attempts: job.attempts,
  lastMessage: job.refused?.message ?? ""
})

const everything = Arguments.decoder(Arguments.Nothing)
const named = Arguments.decoder(Schema.Struct({ problemId: Arguments.Id }))
const resolved = Arguments.decoder(Schema.Struct({ problemId: Arguments.Id, force: Schema.optional(Arguments.Flag) }))

const service = Problems.Problems

export const make = (runtime: Runtime): Types.Problems => ({
  list: Methods.paging(
    runtime,
    { name: "problems.list", decode: everything },
    Pages.created,
    (_, page) => Effect.flatMap(service, (problems) => problems.page(page)),
    shape
  ),
  retry: Methods.writing(runtime, { name: "problems.retry", decode: named }, (of) =>
    Methods.done(Effect.flatMap(service, (problems) => problems.retry(of)))
  ),
  resolve: Methods.writing(runtime, { name: "problems.resolve", decode: resolved }, ({ force = false, problemId }) =>
    Methods.done(Effect.flatMap(service, (problems) => problems.resolve({ problemId, force })))
  )
})

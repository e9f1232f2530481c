/**
 * The retry of a finding (rule S6). There is nothing to be done at the telco: the finding is gone, and the next comparison of
 * both books adds it again if it still finds it.
 */
import { Effect } from "effect"
import { Commits } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const commits = yield* Commits
  return Effect.fnUntraced(function* (held: LeasedJob) {
    yield* commits.retryOnConflict(commits.write(finishing(held, {})))
    return "done" as const satisfies Done
  })
})

/**
 * The command that the running fiber carries out, and how its outcome gets into the commit (rule H1). Internal to
 * `src/app`.
 *
 * The first commit of the use case ends the command's job. It either settles the command, or it leaves a job that the
 * command waits for, and that job's last commit settles the command or leaves the job of its next attempt. So there is
 * always exactly one job to go on with, at any moment that a process may die.
 */
import { Context } from "effect"
import type { WaitingCommand } from "../../domain/Job.ts"
import type { Instant } from "../../domain/Time.ts"
import type { JobLease } from "../../ports/Jobs.ts"
import type { Commit } from "../../ports/Storage.ts"
import type { RecordedOutcome } from "./IdempotencyContext.ts"

export interface CommandContext {
  readonly organizationId: string
  readonly waiting: WaitingCommand
  /** The lease of the command's job. */
  readonly lease: JobLease
  /** Whether a commit has ended the command's job. */
  readonly done: { current: boolean }
}

/** Null if the fiber carries out no command. */
export const Current = Context.Reference<CommandContext | null>("simplan/CommandContext", {
  defaultValue: () => null
})

/** The commit, extended to end the command's job, and to settle the command unless a job will do that later. */
export const ending = (commit: Commit, context: CommandContext, recorded: RecordedOutcome, now: Instant): Commit => {
  const { lease, organizationId, waiting } = context
  const jobs = { ...commit.jobs, finished: [...(commit.jobs?.finished ?? []), lease] }
  if (recorded === "later") return { ...commit, jobs }
  const { commandId } = waiting
  const outcome = { _tag: "Succeeded" as const, answer: recorded }
  return { ...commit, jobs, commands: { settled: [{ organizationId, commandId, outcome, settledAt: now }] } }
}

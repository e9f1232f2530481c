/**
 * The versions of what several people edit at once (rule W16). Each commit that writes a thing
 * raises its version, and is guarded by it, so that of two edits of one version one is made.
 */
import { Result } from "effect"
import { ChangedMeanwhile } from "./Refusal.ts"

/** The versions that an edit may find. Absent: any. */
export type Expected = ReadonlyArray<number> | undefined

/** Refuses an edit of another version than it expects. */
export const check = (
  resource: ChangedMeanwhile["resource"],
  version: number,
  expected: Expected
): Result.Result<void, ChangedMeanwhile> =>
  expected === undefined || expected.includes(version)
    ? Result.void
    : Result.fail(new ChangedMeanwhile({ resource, version }))

/**
 * Why a command came to nothing, for the person who typed it: one sentence that says what was wrong and what would be
 * right. It goes to stderr as it is, and the process exits with the code.
 */
import { Data } from "effect"

export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** 1: it could not be done. 2: it was not asked for rightly. */
  readonly exitCode: 1 | 2
}> {}

/** It could not be done. */
export const impossible = (message: string): CommandFailed => new CommandFailed({ message, exitCode: 1 })

/** It was not asked for rightly. */
export const misused = (message: string): CommandFailed => new CommandFailed({ message, exitCode: 2 })

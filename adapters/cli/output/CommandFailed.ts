/**
 * The error of every command: one sentence for stderr that says what is wrong and how to put it right, and the exit code
 * of the process.
 */
import { Data } from "effect"

export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** 1: the command could not be done. 2: the command line is wrong. */
  readonly exitCode: 1 | 2
}> {}

/** The command could not be done. */
export const impossible = (message: string): CommandFailed => new CommandFailed({ message, exitCode: 1 })

/** The command line is wrong. */
export const misused = (message: string): CommandFailed => new CommandFailed({ message, exitCode: 2 })

/** The code of a system error, such as `EADDRINUSE`; undefined for other values. */
export const systemCode = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** A message as one line that ends with a full stop. */
export const sentence = (message: string): string => message.replace(/\s*\n\s*/g, " ").replace(/\.?$/, ".")

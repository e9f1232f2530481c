/**
 * The error of every command: one sentence for stderr that says what is wrong and how to put it
 * right, and the exit code of the process. The parser's errors are said as sentences too.
 */
import { Data } from "effect"
import type { CliError } from "effect/cli"

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

/** What the parser says of a text that is no number. */
const NO_NUMBER = "a string representing a finite number"

/** Turns the parser's `"a" | "b" | "c"` into `a, b or c`. */
const inWords = (expected: string): string => {
  if (expected.includes(NO_NUMBER)) return "a number"
  const alternatives = expected.split(" | ").map((one) => one.replace(/^"(.*)"$/, "$1"))
  const last = alternatives.pop() ?? expected
  return alternatives.length === 0 ? last.replace(/^Expected:? /, "") : `${alternatives.join(", ")} or ${last}`
}

const suggested = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` (did you mean ${suggestions.join(" or ")}?)`

const problemOf = (error: CliError.NonShowHelpErrors, path: string): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `${path} has no flag ${error.option}${suggested(error.suggestions)}`
    case "UnknownSubcommand":
      return `${path} has no command ${JSON.stringify(error.subcommand)}${suggested(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "UnexpectedArgument":
      return `${path} takes no such argument: ${error.arguments.map((one) => JSON.stringify(one)).join(", ")}`
    case "InvalidValue": {
      const name = error.kind === "flag" ? `--${error.option}` : error.option
      return error.value === ""
        ? `${name} needs a value: ${inWords(error.expected)}`
        : `${name} is ${JSON.stringify(error.value)}, but must be ${inWords(error.expected)}`
    }
    default:
      return error.message.replace(/\s*\n\s*/g, " ")
  }
}

/**
 * The parser's errors, a line for each with the flag or argument, its value and what is allowed;
 * the last names the help.
 */
export const misuse = (error: CliError.ShowHelp): string => {
  const path = error.commandPath.join(" ")
  return `${error.errors.map((one) => problemOf(one, path)).join(";\n")} (see \`${path} --help\`).`
}

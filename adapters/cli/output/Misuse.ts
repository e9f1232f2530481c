/**
 * The parser's errors as sentences, each with the flag or argument, its value and what is allowed.
 */
import type { CliError } from "effect/cli"

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

const problem = (error: CliError.NonShowHelpErrors, path: string): string => {
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

/** One line for each error; the last names the help. */
export const sentences = (error: CliError.ShowHelp): string => {
  const path = error.commandPath.join(" ")
  return `${error.errors.map((one) => problem(one, path)).join(";\n")} (see \`${path} --help\`).`
}

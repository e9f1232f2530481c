/**
 * Reads the text of a scenario file. Each mistake has the line where it is.
 */
import { Result } from "effect"
import { JsonLines } from "../../json-lines/index.ts"
import type * as Problem from "./Problem.ts"
import * as Scenario from "./Scenario.ts"

export type Mistake = JsonLines.Mistake

/** Reads a file. The failure has all mistakes, by line. */
export const read = (text: string): Result.Result<Scenario.Playable, ReadonlyArray<JsonLines.Mistake>> => {
  const parsed = JsonLines.parse(text)
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure])
  const { lineOf, value } = parsed.success
  return Result.mapError(Scenario.decode(value), (problems) =>
    problems
      .map(({ path, sentence }) => ({ line: lineOf(path), sentence }))
      .sort((left, right) => left.line - right.line)
  )
}

/** The line of a field in a valid file. */
export const lineIn = (text: string, path: Problem.Path): number =>
  Result.getOrThrow(JsonLines.parse(text)).lineOf(path)

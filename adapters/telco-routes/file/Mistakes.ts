/**
 * The mistakes of a settings file: all that are found are reported at once.
 */
import { Result, Schema } from "effect"
import { Messages } from "../../fields/index.ts"
import type { JsonLines } from "../../json-lines/index.ts"

export interface Mistake {
  readonly path: JsonLines.Path
  readonly message: string
}

/** A part of the file, or what is wrong with it. */
export type Found<A> = Result.Result<A, ReadonlyArray<Mistake>>

export const wrong = (path: JsonLines.Path, message: string): Result.Result<never, ReadonlyArray<Mistake>> =>
  Result.fail([{ path, message }])

/** All values, or the mistakes of all that have some. */
export const all = <A>(found: ReadonlyArray<Found<A>>): Found<ReadonlyArray<A>> => {
  const mistakes = found.flatMap((one) => (Result.isFailure(one) ? one.failure : []))
  return mistakes.length > 0
    ? Result.fail(mistakes)
    : Result.succeed(found.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])))
}

const decoding = { errors: "all", onExcessProperty: "error" } as const

/** Decodes a value at a path; unknown fields are refused. */
export const decoder = <A>(schema: Schema.Codec<A, A>) => {
  const decode = Schema.decodeUnknownResult(schema, decoding)
  return (value: unknown, path: JsonLines.Path): Found<A> =>
    Result.mapError(decode(value), ({ issue }) => Messages.problems(issue, path))
}

/** Both values, or the mistakes of both. */
export const both = <A, B>(left: Found<A>, right: Found<B>): Found<readonly [A, B]> => {
  if (Result.isSuccess(left) && Result.isSuccess(right)) return Result.succeed([left.success, right.success])
  return Result.fail([
    ...(Result.isFailure(left) ? left.failure : []),
    ...(Result.isFailure(right) ? right.failure : [])
  ])
}

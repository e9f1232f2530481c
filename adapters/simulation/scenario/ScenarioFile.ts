/**
 * A scenario as the text of its file: what is wrong with it is told with the line.
 */
import * as Json from "@humanwhocodes/momoa"
import { Result } from "effect"
import type * as Problem from "./Problem.ts"
import * as Scenario from "./Scenario.ts"

/** One mistake, and the line of the file that has it, counted from 1. */
export interface Mistake {
  readonly line: number
  readonly sentence: string
}

type Node = Json.ValueNode | Json.MemberNode

const child = (node: Node, part: PropertyKey): Node | undefined => {
  const value = node.type === "Member" ? node.value : node
  if (value.type === "Object") {
    return value.members.findLast(({ name }) => (name.type === "String" ? name.value : name.name) === part)
  }
  return value.type === "Array" && typeof part === "number" ? value.elements[part]?.value : undefined
}

/** The line of a path; where a part of it is missing, that of what would have it. */
const lineOf = (body: Json.ValueNode, path: Problem.Path): number => {
  let node: Node = body
  for (const part of path) {
    const next = child(node, part)
    if (next === undefined) break
    node = next
  }
  return node.loc.start.line
}

const parse = (text: string): Result.Result<Json.DocumentNode, Mistake> =>
  Result.try({
    try: () => Json.parse(text),
    catch: (error) => {
      const line = error instanceof Error && "line" in error && typeof error.line === "number" ? error.line : 1
      const reason = error instanceof Error ? error.message.replace(/\s*\(\d+:\d+\)$/, "").replace(/\.$/, "") : ""
      return { line, sentence: `the file is not JSON: ${reason}` }
    }
  })

/** The scenario that a file holds, or everything that is wrong with it, by line. */
export const read = (text: string): Result.Result<Scenario.Playable, ReadonlyArray<Mistake>> => {
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure])
  const { body } = parsed.success
  return Result.mapError(Scenario.decode(Json.evaluate(body)), (problems) => located(body, problems))
}

const located = (body: Json.ValueNode, problems: ReadonlyArray<Problem.Problem>): ReadonlyArray<Mistake> =>
  problems
    .map(({ path, sentence }) => ({ line: lineOf(body, path), sentence }))
    .sort((left, right) => left.line - right.line)

/** The line of a field in a file that was read. */
export const lineIn = (text: string, path: Problem.Path): number => lineOf(Json.parse(text).body, path)

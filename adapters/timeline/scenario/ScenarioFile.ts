/**
 * Reads the text of a scenario file. Each mistake has the line where it is.
 */
import * as Json from "@humanwhocodes/momoa"
import { Result } from "effect"
import type * as Problem from "./Problem.ts"
import * as Scenario from "./Scenario.ts"

/** A mistake and its line, counted from 1. */
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

/** The line of a path; if a part is missing, the line of its parent. */
const lineOf = (body: Json.ValueNode, path: Problem.Path): number => {
  let node: Node = body
  for (const part of path) {
    const next = child(node, part)
    if (next === undefined) break
    node = next
  }
  return node.loc.start.line
}

/** The text of the parser's token names. */
const tokens: Readonly<Record<string, string>> = {
  LBrace: '"{"',
  RBrace: '"}"',
  LBracket: '"["',
  RBracket: '"]"',
  Colon: '":"',
  Comma: '","',
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Null: "null"
}

const reasonOf = (message: string): string => {
  const token = /^Unexpected token (\w+) found/.exec(message)?.[1]
  if (token !== undefined) return `${tokens[token] ?? token} is not allowed there`
  if (message.startsWith("Unexpected end of input")) return "it ends too early"
  return message.replace(/\s*\(\d+:\d+\)$/, "").replace(/\.$/, "")
}

const parse = (text: string): Result.Result<Json.DocumentNode, Mistake> =>
  Result.try({
    try: () => Json.parse(text),
    catch: (error) => ({
      line: error instanceof Error && "line" in error && typeof error.line === "number" ? error.line : 1,
      sentence: `the file is not JSON: ${reasonOf(error instanceof Error ? error.message : String(error))}`
    })
  })

/** Reads a file. The failure has all mistakes, by line. */
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

/** The line of a field in a valid file. */
export const lineIn = (text: string, path: Problem.Path): number => lineOf(Json.parse(text).body, path)

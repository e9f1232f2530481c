/**
 * JSON files that people write: their values, and the line of each field, so that a mistake can be
 * reported with its line.
 */
import * as Json from "@humanwhocodes/momoa"
import { Result } from "effect"

/** A mistake and its line, counted from 1. */
export interface Mistake {
  readonly line: number
  readonly sentence: string
}

export type Path = ReadonlyArray<PropertyKey>

/** A file that is JSON. */
export interface Lines {
  readonly value: unknown
  /** The line of a path; if a part is missing, the line of its parent. */
  readonly lineOf: (path: Path) => number
}

type Node = Json.ValueNode | Json.MemberNode

const nameOf = ({ name }: Json.MemberNode): string => (name.type === "String" ? name.value : name.name)

const child = (node: Node, part: PropertyKey): Node | undefined => {
  const value = node.type === "Member" ? node.value : node
  if (value.type === "Object") {
    return value.members.find((member) => nameOf(member) === part)
  }
  return value.type === "Array" && typeof part === "number" ? value.elements[part]?.value : undefined
}

const lineIn = (body: Json.ValueNode, path: Path): number => {
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

// Of two fields with one name every reader of JSON takes the last, and ignores the other.
const repeated = (node: Json.ValueNode): Json.MemberNode | undefined => {
  if (node.type === "Array") return firstOf(node.elements, ({ value }) => repeated(value))
  if (node.type !== "Object") return undefined
  const names = new Set<string>()
  return firstOf(node.members, (member) => {
    const name = nameOf(member)
    if (names.has(name)) return member
    names.add(name)
    return repeated(member.value)
  })
}

const firstOf = <A>(
  items: ReadonlyArray<A>,
  find: (item: A) => Json.MemberNode | undefined
): Json.MemberNode | undefined => {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Reads a text; the failure says where it is not JSON, or names a field again in the same object.
 */
export const parse = (text: string): Result.Result<Lines, Mistake> =>
  Result.flatMap(read(text), ({ body, twice }) =>
    twice === undefined
      ? Result.succeed({ value: Json.evaluate(body), lineOf: (path: Path) => lineIn(body, path) })
      : Result.fail({ line: twice.loc.start.line, sentence: `${JSON.stringify(nameOf(twice))} is named a second time` })
  )

const read = (text: string) =>
  Result.try({
    try: () => {
      const { body } = Json.parse(text)
      return { body, twice: repeated(body) }
    },
    catch: (error) => ({
      line: error instanceof Error && "line" in error && typeof error.line === "number" ? error.line : 1,
      sentence: `the file is not JSON: ${reasonOf(error instanceof Error ? error.message : String(error))}`
    })
  })

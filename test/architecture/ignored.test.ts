/**
 * A failure that is ignored has a comment beside it that begins with `Failure:` and says who makes
 * up for it. One that nobody makes up for leaves something undone for good, so a new one without
 * such a comment is found here.
 */
import { expect, it } from "vitest"
import { parseSync } from "vite"
import * as Documents from "../documents/Documents.ts"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string"

const nodes = (value: unknown): ReadonlyArray<Node> =>
  Array.isArray(value) ? value.flatMap(nodes) : isNode(value) ? [value] : []

/** The name of a member of `Effect`; undefined if the node is none. */
const memberOf = (node: unknown): string | undefined => {
  if (!isNode(node) || node.type !== "MemberExpression") return undefined
  const { object, property } = node
  return isNode(object) && object["name"] === "Effect" && isNode(property) ? String(property["name"]) : undefined
}

const calleeOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === "CallExpression" ? memberOf(node["callee"]) : undefined

const argumentsOf = (node: Node): ReadonlyArray<Node> => nodes(node["arguments"])

const isConstant = (node: Node): boolean =>
  node.type === "Literal" ||
  node["name"] === "undefined" ||
  (node.type === "ArrayExpression" && nodes(node["elements"]).length === 0) ||
  (node.type === "TSAsExpression" && nodes(node["expression"]).every(isConstant))

/** Whether what a handler returns has nothing of the failure but a line of the log. */
const isGivenUp = (answer: Node): boolean => {
  if (memberOf(answer) === "void") return true
  const name = calleeOf(answer) ?? ""
  const [first] = argumentsOf(answer)
  if (name === "as") return first !== undefined && isGivenUp(first)
  return name.startsWith("log") || (name === "succeed" && argumentsOf(answer).every(isConstant))
}

const handlersOf = (node: Node): ReadonlyArray<Node> =>
  node.type === "ObjectExpression"
    ? nodes(node["properties"]).flatMap((property) => nodes(property["value"]))
    : node.type === "ArrowFunctionExpression"
      ? [node]
      : []

const ignoring = new Set(["ignore", "ignoreCause", "option", "orElseSucceed"])

/** All that catches, but `catchIf`: its condition says which answer the failure is. */
const catching = /^catch(?:Cause|Defect|Tags?)?$/

const isIgnored = (node: Node): boolean => {
  if (ignoring.has(memberOf(node) ?? "")) return true
  const name = calleeOf(node)
  if (name === undefined) return false
  if (catching.test(name))
    return argumentsOf(node)
      .flatMap(handlersOf)
      .flatMap((of) => nodes(of["body"]))
      .some(isGivenUp)
  // The outcome of the first effect is read by nobody.
  return /^(?:andThen|asVoid)$/.test(name) && /^(?:exit|result)$/.test(calleeOf(argumentsOf(node)[0]) ?? "")
}

/** What a comment stands above. */
const isStatement = ({ type }: Node): boolean => /Statement$|Declaration$|^Property$/.test(type)

/** The lines on which a failure is ignored, and nobody is named who makes up for it. */
const unexplained = (path: string, text: string): ReadonlyArray<string> => {
  const { comments, program } = parseSync(path, text)
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length
  const starts = new Set(comments.map(({ start }) => lineOf(start)))
  const lastOf = (line: number): number => (starts.has(line + 1) ? lastOf(line + 1) : line)
  const explained = comments.filter(({ value }) => /\bFailure: /.test(value)).map(({ end }) => lastOf(lineOf(end)))
  const found: Array<string> = []
  const visit = (value: unknown, from: number): void => {
    for (const node of nodes(value)) {
      const above = isStatement(node) ? node.start : from
      if (isIgnored(node)) {
        const [first, last] = [lineOf(above) - 1, lineOf(node.end)]
        if (!explained.some((line) => line >= first && line <= last)) found.push(`${path}:${lineOf(node.start)}`)
      }
      for (const [name, child] of Object.entries(node)) if (name !== "type") visit(child, above)
    }
  }
  visit(program, 0)
  return found
}

/** Those of the service itself: tests and simulations ignore what they have made fail. */
const isChecked = (path: string): boolean => !/^(?:src\/testing|adapters\/simulation|adapters\/timeline)\//.test(path)

it("Each failure that is ignored says who makes up for it", { timeout: 120_000 }, () => {
  const files = Documents.below(["src", "adapters"], /\.tsx?$/).filter(isChecked)
  expect(files.length).toBeGreaterThan(300)
  expect(files.flatMap((path) => unexplained(path, Documents.read(path)))).toEqual([])
})

it.each([
  "Effect.ignore(call)",
  "call.pipe(Effect.ignore)",
  "Effect.option(call)",
  "Effect.orElseSucceed(call, () => [])",
  "Effect.catch(call, () => Effect.void)",
  'Effect.catchTag(call, "StorageError", () => Effect.succeed(null))',
  "Effect.catchTags(call, { StorageError: () => Effect.succeed([]) })",
  'Effect.catchCause(call, (cause) => Effect.as(Effect.logDebug("it waits", cause), null))',
  "Effect.andThen(Effect.exit(call), next)"
])("One is found that does not: %s", (call) => {
  expect(unexplained("a.ts", `const a = 1\n\nconst b = ${call}`)).toEqual(["a.ts:3"])
  expect(
    unexplained("a.ts", `// Failure: the next one does it.\nconst a = 1\n\n// It waits.\nconst b = ${call}`)
  ).toHaveLength(1)
  expect(unexplained("a.ts", `const a = 1\n\n// Failure: the next one does it.\nconst b = ${call}`)).toEqual([])
})

it.each(["Effect.catch(call, (failure) => Effect.succeed(failure))", "Effect.map(Effect.exit(call), answer)"])(
  "One that becomes an answer is none: %s",
  (call) => {
    expect(unexplained("a.ts", `const a = 1\n\nconst b = ${call}`)).toEqual([])
  }
)

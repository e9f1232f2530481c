/**
 * Messages for people about values that do not match their schema. A message has the name of each wrong field and
 * what the field must hold. It never shows the schema or the value.
 */
import type { SchemaAST, SchemaIssue } from "effect"
import { Refusal } from "simplan/ports"

/** A wrong field, and what it must hold. */
export interface FieldProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The path as text: `steps[2].at`. */
export const nameOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`
    return name === "" ? String(part) : `${name}.${String(part)}`
  }, "")

const annotation = (annotations: unknown, key: "message" | "messageMissingKey"): string | undefined => {
  if (typeof annotations !== "object" || annotations === null || !(key in annotations)) return undefined
  const message: unknown = Object.getOwnPropertyDescriptor(annotations, key)?.value
  return typeof message === "string" ? message : undefined
}

const nouns: Readonly<Partial<Record<SchemaAST.AST["_tag"], string>>> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "an array",
  Objects: "an object",
  Null: "null"
}

const noun = (ast: SchemaAST.AST): string => {
  // A field that may be left out takes undefined too, which no message has to say.
  if (ast._tag === "Union") {
    return [...new Set(ast.types.filter(({ _tag }) => _tag !== "Undefined").map(noun))].join(" or ")
  }
  if (ast._tag === "Literal") return String(ast.literal)
  return nouns[ast._tag] ?? "of another type"
}

const expected = (ast: SchemaAST.AST): string => annotation(ast.annotations, "message") ?? `must be ${noun(ast)}`

/** The wrong fields of a value, in the order of its schema. */
export const problems = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<FieldProblem> => {
  const problem = (message: string): ReadonlyArray<FieldProblem> => [{ path, message }]
  switch (issue._tag) {
    case "Pointer":
      return problems(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => problems(inner, path))
    case "Encoding":
      return problems(issue.issue, path)
    case "Filter": {
      const message = annotation(issue.filter.annotations, "message")
      return message === undefined ? problems(issue.issue, path) : problem(message)
    }
    case "AnyOf":
      return issue.issues.length === 0 || annotation(issue.ast.annotations, "message") !== undefined
        ? problem(expected(issue.ast))
        : issue.issues.flatMap((inner) => problems(inner, path))
    case "MissingKey":
      return problem(annotation(issue.annotations, "messageMissingKey") ?? "is required")
    case "InvalidType":
      return problem(expected(issue.ast))
    case "InvalidValue":
    case "Forbidden":
      return problem(annotation(issue.annotations, "message") ?? "is not valid")
    case "UnexpectedKey":
      return problem("is not known")
    case "OneOf":
      return problem(expected(issue.ast))
  }
}

/** The largest number of problems in one message. */
const MOST = 10

/**
 * The problems of a value as one refusal. It has the first problem's field; its message also has the other problems.
 * `whole` is the name of the value itself, where the problem is not in a field.
 */
export const toRefusal = (issue: SchemaIssue.Issue, whole: string): Refusal.InvalidField => {
  const found = problems(issue).map(({ message, path }) => ({ field: nameOf(path) || whole, message }))
  const unique = [...new Map(found.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()]
  const [first, ...others] = unique
  if (first === undefined) return new Refusal.InvalidField({ field: whole, message: "is not valid" })
  const rest = others.slice(0, MOST - 1).map(({ field, message }) => `; ${field} ${message}`)
  return new Refusal.InvalidField({ field: first.field, message: first.message + rest.join("") })
}

/**
 * Messages for people about values that do not match their schema. A message has the name of each
 * wrong field and what the field must hold. It never shows the schema or the value. One about an
 * unknown name may have the name that was most likely meant.
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
 * The problems of a value as one refusal. It has the first problem's field; its message also has
 * the other problems. `whole` is the name of the value itself, if the problem is not in a field.
 */
export const toRefusal = (issue: SchemaIssue.Issue, whole: string): Refusal.InvalidField => {
  const found = problems(issue).map(({ message, path }) => ({ field: nameOf(path) || whole, message }))
  const unique = [...new Map(found.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()]
  const [first, ...others] = unique
  if (first === undefined) return new Refusal.InvalidField({ field: whole, message: "is not valid" })
  const rest = others.slice(0, MOST - 1).map(({ field, message }) => `; ${field} ${message}`)
  return new Refusal.InvalidField({ field: first.field, message: first.message + rest.join("") })
}

/**
 * How many letters have to be added, left out, changed or swapped with the next one to make one
 * text of the other.
 */
const distance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const changed = (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : changed
      current.push(Math.min(changed, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    before = last
    last = current
  }
  return last[other.length] ?? 0
}

/** How much of a name is compared. */
const LONGEST = 64

const plain = (name: string): string =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/**
 * The name that was most likely meant by one that is not known: the nearest of the names, in any
 * case and spelled with any separators; undefined if none is near.
 */
export const nearest = (given: string, names: ReadonlyArray<string>): string | undefined => {
  const wanted = plain(given)
  const [found] = names
    .map((name) => ({ name, far: distance(wanted, plain(name)) }))
    .filter(({ far, name }) => far <= Math.max(1, Math.floor(Math.min(wanted.length, plain(name).length) / 3)))
    .sort((one, other) => one.far - other.far)
  return found?.name
}

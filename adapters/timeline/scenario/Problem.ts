/**
 * A problem of a scenario: the path of the field, and a sentence with the field, its value and what
 * is allowed.
 */
import { Data, Effect, type SchemaAST, type SchemaIssue } from "effect"

export type Path = ReadonlyArray<PropertyKey>

export interface Problem {
  readonly path: Path
  readonly sentence: string
}

/** The path as text: `steps[2].at`. */
export const nameOf = (path: Path): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`
    return name === "" ? String(part) : `${name}.${String(part)}`
  }, "")

/** How many characters of a value are shown. */
const SHOWN = 60

/** The JSON of a value, shortened. */
export const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

/** The value at a path; undefined if it is missing. */
export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, part)?.value : undefined,
    root
  )

/** The problem of an invalid field; `must` continues the sentence after "but". */
export const wrong = (root: unknown, path: Path, must: string): Problem => {
  const value = valueAt(root, path)
  const name = path.length === 0 ? "the scenario" : nameOf(path)
  return {
    path,
    sentence: value === undefined ? `${name} is missing, but ${must}` : `${name} is ${show(value)}, but ${must}`
  }
}

/**
 * A mistake that is found only when the scenario is played: terms that the service refuses, or an
 * attachment that does not exist.
 */
export class Mistake extends Data.TaggedError("ScenarioMistake")<Problem> {}

/** Fails with the mistake of the field at a path. */
export const mistake = (root: unknown, path: Path, must: string): Effect.Effect<never, Mistake> =>
  Effect.fail(new Mistake(wrong(root, path, must)))

const annotation = (annotations: unknown, key: "message" | "field" = "message"): string | undefined => {
  if (typeof annotations !== "object" || annotations === null || !(key in annotations)) return undefined
  const text: unknown = Object.getOwnPropertyDescriptor(annotations, key)?.value
  return typeof text === "string" ? text : undefined
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
  if (ast._tag === "Union") return [...new Set(ast.types.map(noun))].join(" or ")
  if (ast._tag === "Literal") return show(ast.literal)
  return nouns[ast._tag] ?? "something else"
}

const expected = (ast: SchemaAST.AST): string => annotation(ast.annotations) ?? `must be ${noun(ast)}`

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const unknownField = (path: Path, ast: SchemaAST.AST): Problem => {
  const allowed = fieldsOf(ast)
  const owner = nameOf(path.slice(0, -1)) || "the scenario"
  return { path, sentence: `${nameOf(path)} is no field: ${owner} takes ${allowed.join(", ")}` }
}

const missing = (root: unknown, path: Path, owner: SchemaAST.AST): Problem => {
  const field = owner._tag === "Objects" ? owner.propertySignatures.find(({ name }) => name === path.at(-1)) : undefined
  return wrong(root, path, field === undefined ? "is required" : expected(field.type))
}

/** The problems of decoding `root`, in the order of the schema. */
export const fromIssue = (root: unknown, issue: SchemaIssue.Issue, path: Path = []): ReadonlyArray<Problem> => {
  const problem = (must: string): ReadonlyArray<Problem> => [wrong(root, path, must)]
  switch (issue._tag) {
    case "Pointer":
      return fromIssue(root, issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) =>
        inner._tag === "Pointer" && inner.issue._tag === "MissingKey"
          ? [missing(root, [...path, ...inner.path], issue.ast)]
          : fromIssue(root, inner, path)
      )
    case "Encoding":
      return fromIssue(root, issue.issue, path)
    case "Filter":
      return problem(annotation(issue.filter.annotations) ?? "is not valid")
    case "AnyOf": {
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => fromIssue(root, inner, path))
      // The discriminator of the union, if it has one.
      const field = annotation(issue.ast.annotations, "field")
      const value = valueAt(root, path)
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      if (field === undefined) return problem(expected(issue.ast))
      return isObject ? [wrong(root, [...path, field], expected(issue.ast))] : problem("must be an object")
    }
    case "MissingKey":
      return problem("is required")
    case "UnexpectedKey":
      return [unknownField(path, issue.ast)]
    case "InvalidType":
    case "OneOf":
      return problem(expected(issue.ast))
    case "InvalidValue":
    case "Forbidden":
      return problem(annotation(issue.annotations) ?? "is not valid")
  }
}

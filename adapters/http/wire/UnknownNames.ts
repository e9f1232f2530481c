/**
 * Names that a request has and its endpoint does not: of query parameters, and of fields of a body. The management API refuses
 * them, so that a mistake of an operator does not go unnoticed.
 */
import { SchemaAST } from "effect"
import { Nearest } from "../../fields/index.ts"
import * as Errors from "./Errors.ts"

/** The longest part of an unknown name that a message shows. */
const SHOWN = 64

/** Null: any name is known, or the schema is of no object. */
const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> | null =>
  ast._tag === "Objects" && ast.indexSignatures.length === 0
    ? ast.propertySignatures.map(({ name }) => String(name))
    : null

/** Whose names they are: `query parameter` of the `route`, or `field` of the `body`. */
interface Kind {
  readonly name: string
  readonly of: string
}

/** What refuses the first of some names that the schema does not have, with the one that was likely meant. */
export const finder = (
  { ast }: { readonly ast: SchemaAST.AST },
  kind: Kind
): ((given: object) => Errors.Problem | undefined) => {
  const names = namesOf(SchemaAST.toEncoded(ast))
  if (names === null) return () => undefined
  const all = names.length === 0 ? `the ${kind.of} has none` : `the ${kind.of} has ${names.join(", ")}`
  return (given) => {
    const stranger = Object.keys(given).find((name) => !names.includes(name))
    if (stranger === undefined) return undefined
    const meant = Nearest.of(stranger, names)
    const hint = meant === undefined ? all : `did you mean ${meant}?`
    return Errors.invalidField(stranger.slice(0, SHOWN) || '""', `is not a known ${kind.name}; ${hint}`)
  }
}

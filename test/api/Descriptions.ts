/**
 * Finds what of a module's declarations has no doc comment of its own right before it.
 */
import { declared } from "./EntryPoints.ts"
import { isNode, type Node, nodesOf, type Source, textOf } from "./Sources.ts"

const declarations = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ClassDeclaration",
  "FunctionDeclaration",
  "TSDeclareFunction",
  "VariableDeclaration"
])

const members = new Set(["TSPropertySignature", "TSMethodSignature", "PropertyDefinition", "MethodDefinition"])

// Brands, tags, and what an error overrides of `Error`.
const isPlumbing = (member: Node): boolean =>
  /^(?:~.*|_tag|name|constructor)$/.test(textOf(member["key"])) ||
  member["accessibility"] === "private" ||
  (isNode(member["key"]) && member["key"].type === "PrivateIdentifier")

/**
 * The members of an interface or a class, and the shape of the service or the fields of the error
 * that a class is made of. The fields of any other type that is written in place are told of by
 * what it belongs to.
 */
const membersOf = (declaration: Node): ReadonlyArray<Node> => {
  const body = isNode(declaration["body"]) ? nodesOf(declaration["body"]["body"]) : []
  const found = [...body]
  const shapes = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) shapes(item)
      return
    }
    if (!isNode(value) || value.type === "ObjectExpression" || value.type === "TSFunctionType") return
    if (value.type === "TSTypeLiteral") found.push(...nodesOf(value["members"]))
    else for (const child of Object.values(value)) shapes(child)
  }
  if (declaration.type === "ClassDeclaration") shapes([declaration["superClass"], declaration["superTypeArguments"]])
  return found.filter(({ type }) => members.has(type))
}

/** What is between a doc comment and what it describes. */
const BETWEEN = /^(?:\s|export\b|declare\b|\/\/[^\n]*\n)*$/

/**
 * The undescribed ones of a module's declarations, as far as their names are public, and of their
 * members.
 */
export const undescribed = (
  { body, descriptions, path, text }: Source,
  isPublic: (name: string) => boolean
): ReadonlyArray<string> => {
  const isDescribed = ({ start }: Node): boolean =>
    descriptions.some((end) => end <= start && BETWEEN.test(text.slice(end, start)))
  return body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement
    if (!isNode(declaration) || !declarations.has(declaration.type)) return []
    const [name] = declared(declaration).filter(isPublic)
    if (name === undefined) return []
    const own = isDescribed(statement) ? [] : [`${path}: ${name}`]
    const missing = membersOf(declaration).filter((member) => !isPlumbing(member) && !isDescribed(member))
    return [...own, ...missing.map((member) => `${path}: ${name}.${textOf(member["key"])}`)]
  })
}

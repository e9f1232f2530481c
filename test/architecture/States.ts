/**
 * Who asks for a state by one of its tags. A state of several steps that is asked for by one tag is
 * asked for by half, so only the module that owns it compares tags; all others call its questions,
 * or decide on every tag by a `switch` without `default`.
 *
 * The compiler finds the declaration of what is compared, so that neither another name nor a
 * destructured field hides one.
 */
import { API, type Program } from "typescript/unstable/sync"
import * as Ast from "typescript/unstable/ast"
import * as Is from "typescript/unstable/ast/is"

/** A field that says in which state something is. */
export interface State {
  /** The type that declares it, and the file that the type is in. */
  readonly type: string
  readonly file: string
  readonly field: string
  /** The other files that may compare its tags. */
  readonly also?: ReadonlyArray<string>
}

/** Where a field is compared with a text, or a `switch` over it has a `default`. */
export interface Comparison {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly declaration: { readonly file: string; readonly type: string; readonly field: string }
}

const isText = (node: Ast.Node): boolean => Is.isStringLiteral(node) || Is.isNoSubstitutionTemplateLiteral(node)

/** What is compared with a text; undefined where the node is no comparison. */
const asked = (node: Ast.Node): Ast.Node | undefined => {
  if (Is.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    const isEquality =
      kind === Ast.SyntaxKind.EqualsEqualsEqualsToken || kind === Ast.SyntaxKind.ExclamationEqualsEqualsToken
    if (!isEquality) return undefined
    return isText(node.right) ? node.left : isText(node.left) ? node.right : undefined
  }
  if (!Is.isSwitchStatement(node)) return undefined
  return node.caseBlock.clauses.some((clause) => Is.isDefaultClause(clause)) ? node.expression : undefined
}

const named = (node: Ast.Node): Ast.Node => (Is.isPropertyAccessExpression(node) ? node.name : node)

/** The type alias or interface that a field is declared in. */
const typeOf = (node: Ast.Node | undefined): string | undefined => {
  for (let at = node; at !== undefined; at = at.parent) {
    if (Is.isTypeAliasDeclaration(at) || Is.isInterfaceDeclaration(at)) return at.name.text
  }
  return undefined
}

/** The comparisons in the files of a project whose paths, relative to `root`, are asked for. */
export const comparisons = (
  root: string,
  project: string,
  isAsked: (path: string) => boolean
): ReadonlyArray<Comparison> => {
  const api = new API({ cwd: root })
  try {
    const opened = api.updateSnapshot({ openProject: project }).getProjects()[0]
    if (opened === undefined) throw new Error(`${project} is no project`)
    const { checker, program } = opened
    const relative = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path)
    const found: Array<{ readonly file: Ast.SourceFile; readonly node: Ast.Node; readonly of: Ast.Node }> = []
    for (const file of sourceFiles(program, (path) => isAsked(relative(path)))) {
      const visit = (node: Ast.Node): void => {
        const of = asked(node)
        if (of !== undefined) found.push({ file, node, of: named(of) })
        node.forEachChild(visit)
      }
      visit(file)
    }
    const symbols = checker.getSymbolAtLocation(found.map(({ of }) => of))
    return found.flatMap(({ file, node }, index) => {
      let symbol = symbols[index]
      const local = symbol?.declarations?.[0]?.resolve()
      if (local !== undefined && Is.isBindingElement(local)) {
        const pattern = checker.getTypeAtLocation(local.parent)
        const field = (local.propertyName ?? local.name)?.getText() ?? ""
        symbol = pattern === undefined ? undefined : checker.getPropertyOfType(pattern, field)
      }
      const declared = symbol?.declarations?.[0]?.resolve()
      const type = typeOf(declared)
      if (symbol === undefined || declared === undefined || type === undefined) return []
      const start = node.getStart()
      return {
        file: relative(file.fileName),
        line: file.text.slice(0, start).split("\n").length,
        text: node.getText().split("\n", 1)[0] ?? "",
        declaration: { file: relative(declared.getSourceFile().fileName), type, field: symbol.name }
      }
    })
  } finally {
    api.close()
  }
}

const sourceFiles = (program: Program, isAsked: (path: string) => boolean): ReadonlyArray<Ast.SourceFile> =>
  program
    .getSourceFileNames()
    .filter(isAsked)
    .flatMap((name) => program.getSourceFile(name) ?? [])

/** The comparisons that are not the owner's, as lines of text. */
export const strangers = (found: ReadonlyArray<Comparison>, states: ReadonlyArray<State>): ReadonlyArray<string> =>
  found.flatMap(({ declaration, file, line, text }) => {
    const state = states.find(
      (one) => one.file === declaration.file && one.type === declaration.type && one.field === declaration.field
    )
    if (state === undefined || file === state.file || state.also?.includes(file) === true) return []
    return `${file}:${line}: ${text} (${state.type} of ${state.file})`
  })

/**
 * Modules as the parser reads them, as far as tests of the public declarations look at them.
 */
import { parseSync } from "vite"

/** A node of the syntax tree. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** A module: its statements, and where its doc comments end. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly body: ReadonlyArray<Node>
  readonly descriptions: ReadonlyArray<number>
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string"

/** The nodes of a list; none where there is no list. */
export const nodesOf = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

/** The name that an identifier has, or the text of a literal. */
export const textOf = (node: unknown): string =>
  isNode(node) ? String(node["name"] ?? node["value"] ?? node.type) : ""

export const sourceOf = (path: string, text: string): Source => {
  const { comments, program } = parseSync(path, text)
  const descriptions = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
  return { path, text, body: nodesOf(program.body), descriptions: descriptions.map(({ end }) => end) }
}

/**
 * The blocks of code in a document.
 *
 * A block is fenced by three backticks with its language, and a name where it is a file of its own:
 * `ts telco.ts`. A comment `<!-- ts … -->` holds what readers need not see, such as what a block
 * takes for given; with a name it belongs to that file.
 */
import { posix } from "node:path"

export interface Block {
  readonly language: string
  /** The file that the block is, or is part of; null for a block of the document itself. */
  readonly name: string | null
  /** The line of the document that the block's text begins on, from 1. */
  readonly line: number
  readonly text: string
  readonly isHidden: boolean
}

const FENCE =
  /^(?:```(?<language>[\w-]*)(?: (?<name>\S+))?\n(?<text>.*?)^```$|<!-- (?<hidden>ts)(?: (?<of>\S+))?\n(?<given>.*?)^-->$)/gms

/** The blocks of a document, hidden ones included. */
export const of = (document: string): ReadonlyArray<Block> =>
  Array.from(document.matchAll(FENCE), ({ groups = {}, index }) => ({
    language: groups["language"] ?? groups["hidden"] ?? "",
    name: groups["name"] ?? groups["of"] ?? null,
    line: document.slice(0, index).split("\n").length + 1,
    text: groups["text"] ?? groups["given"] ?? "",
    isHidden: groups["hidden"] !== undefined
  }))

/**
 * A file of TypeScript made of blocks, each on its lines of the document, so that messages name the
 * line there.
 */
const laidOut = (blocks: ReadonlyArray<Block>): string => {
  const lines: Array<string> = []
  for (const { line, text } of blocks) {
    while (lines.length < line - 1) lines.push("")
    lines.push(...text.trimEnd().split("\n"))
  }
  return `${lines.join("\n")}\nexport {}\n`
}

/**
 * The files that a document's blocks of TypeScript are checked as: those without a name together as
 * one module, which is named after the document, and each name's as another beside it. A name that
 * `exists` is a file of the repository.
 */
export const modules = (
  path: string,
  document: string,
  exists: (path: string) => boolean
): ReadonlyMap<string, string> => {
  const files = new Map<string, ReadonlyArray<Block>>()
  for (const block of of(document)) {
    const { language, name } = block
    const file = name === null ? `${path}.ts` : posix.join(posix.dirname(path), name)
    if (language === "ts" && !exists(file)) files.set(file, [...(files.get(file) ?? []), block])
  }
  return new Map([...files].map(([file, blocks]) => [file, laidOut(blocks)]))
}

/** The blocks that are not as the file says that they name. */
export const misquoted = (
  path: string,
  document: string,
  read: (path: string) => string | undefined
): ReadonlyArray<string> =>
  of(document).flatMap(({ line, name, text }) => {
    const file = name === null ? undefined : read(posix.join(posix.dirname(path), name))
    return file === undefined || file.includes(text) ? [] : [`${path}:${line} is not in ${name}`]
  })

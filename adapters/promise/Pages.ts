/**
 * Lists as async iterables, and the tokens of their pages, which are opaque to the host.
 */
import { Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { Storage } from "simplan/ports"
import { Fields, Text } from "../fields/index.ts"
import * as Arguments from "./Arguments.ts"
import type { Page, PagedList, PageRequest, List } from "./types/Calls.ts"

/** How many items are read at once where a list is iterated. */
const ITERATED = 100

const PRESET = 25

const decodePage = Arguments.decoder(
  Schema.Struct({
    size: Schema.optional(Fields.integer(1, ITERATED)),
    after: Schema.optional(Schema.NullOr(Schema.String))
  }),
  "the options"
)

/** A position in a list, and its token. */
export interface Cursor<Position> {
  readonly write: (position: Position) => string
  /** Undefined where this service cannot have made the token. */
  readonly read: (token: string) => Position | undefined
}

const decoded = (token: string): string => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  return text !== undefined && Text.problem(text) === undefined ? text : ""
}

/** A position in a list ordered by creation. */
export const created: Cursor<Storage.CreatedCursor> = {
  write: ({ createdAt, id }) => Base64Url.encode(`${createdAt}:${id}`),
  read: (token) => {
    const [, createdAt, id] = /^(-?\d{1,15}):([\x21-\x7e]{1,200})$/.exec(decoded(token)) ?? []
    return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id }
  }
}

/** A position in the order of import. */
export const importSequence: Cursor<number> = {
  write: (position) => Base64Url.encode(String(position)),
  read: (token) => (/^\d{1,15}$/.test(decoded(token)) ? Number(decoded(token)) : undefined)
}

/** The position of a token; null without one. A token of something else is an `InvalidFieldError`. */
export const position = <Position>(
  cursor: Cursor<Position>,
  token: string | null | undefined,
  method: string
): Position | null => {
  if (token === undefined || token === null) return null
  const found = cursor.read(token)
  if (found === undefined) throw Arguments.invalid(method, "after", "must be a token that `next` gave", token)
  return found
}

const toArray = async <Item>(items: AsyncIterable<Item>): Promise<Array<Item>> => {
  const found: Array<Item> = []
  for await (const item of items) found.push(item)
  return found
}

/** The list whose items `iterate` gives. */
export const list = <Item>(iterate: () => AsyncIterator<Item>): List<Item> => {
  const items = { [Symbol.asyncIterator]: iterate }
  return { ...items, toArray: () => toArray(items) }
}

/** The list whose pages `read` gives. */
export const paged = <Item, Position>(
  method: string,
  cursor: Cursor<Position>,
  read: (of: {
    readonly after: Position | null
    readonly limit: number
  }) => Promise<{ readonly items: ReadonlyArray<Item>; readonly next: Position | null }>
): PagedList<Item> => {
  async function* iterate(): AsyncGenerator<Item, void> {
    let after: Position | null = null
    do {
      const page: { readonly items: ReadonlyArray<Item>; readonly next: Position | null } = await read({
        after,
        limit: ITERATED
      })
      yield* page.items
      after = page.next
    } while (after !== null)
  }
  const page = async (of: PageRequest = {}): Promise<Page<Item>> => {
    const { after, size = PRESET } = decodePage(`${method}.page`, of)
    const { items, next } = await read({ after: position(cursor, after, `${method}.page`), limit: size })
    return { items, next: next === null ? null : cursor.write(next) }
  }
  return { ...list(iterate), page }
}

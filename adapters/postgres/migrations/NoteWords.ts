/**
 * Indexes of the words inside metadata (rules L1 and L4), for one organization or for all. They are
 * of arrays, so that they need no extension, and hold no entries back, which a search would have to
 * go over.
 *
 * An index of arrays gives the rows of a word only all together, and common words are in most rows.
 * So the rows are divided into buckets by their ids, each word is there once for each bucket, and a
 * search ends at the bucket that gives it enough.
 */
import { Step } from "./Step.ts"

const UPPER =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"

const LOWER =
  "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя"

/** What is between words: of ASCII, and of all, as the text of a literal. */
const ASCII = String.raw`\t\n\x0b\x0c\r !"#$%&''()*+,-./:;<=>?@[\\]^_\x60{|}~`
const OTHERS = "\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026"

const spaces = (count: number): string => " ".repeat(count)

/** How many characters the escapes of a literal are. */
const lengthOf = (literal: string): number => literal.replace(/''|\\(x..|.)/g, "?").length

/** The metadata's words, with a space between them, or several. */
const spaced = (metadata: string): string => `case
        when octet_length(${metadata}) = char_length(${metadata})
        then translate(lower(left(${metadata}, 256) collate "C"), E'${ASCII}', '${spaces(lengthOf(ASCII))}')
        else translate(
          left(${metadata}, 256) collate "C",
          E'${UPPER}${OTHERS}${ASCII}',
          '${LOWER}${spaces(OTHERS.length + lengthOf(ASCII))}'
        )
      end`

/**
 * The words of metadata (`SimSearch.words`), each as often as it is there. The letters of ASCII
 * fold in a tenth of the time.
 */
export const words = (metadata: string): string => `array_remove(string_to_array(${spaced(metadata)}, ' '), '')`

const DIGITS = "0123456789abcdef"

/** How many buckets the rows of each last digit have, by the digit before it. */
const PARTS = 4

/** The character of the first bucket. Those of the others follow it; none is a space. */
const FIRST = "0".charCodeAt(0)

/** The character of each bucket: of each last digit of an id, and of all other ids. */
export const buckets: ReadonlyArray<string> = Array.from({ length: PARTS * (DIGITS.length + 1) }, (_, at) =>
  String.fromCharCode(FIRST + at)
)

const digitAt = (digit: string): string => `position(${digit} in '${DIGITS}')`

/** The character of the bucket of a row. */
const bucketOf = (id: string): string =>
  `chr(${FIRST} + ${PARTS} * ${digitAt(`right(${id}, 1)`)} + ${digitAt(`left(right(${id}, 2), 1)`)} % ${PARTS})`

/**
 * The words of metadata, each with the character of its row's bucket before it. An index is used by
 * what has this text as it stands.
 */
const bucketed = (metadata: string, id: string): string => {
  const bucket = bucketOf(id)
  return `array_remove(string_to_array(${bucket} || replace(${spaced(metadata)}, ' ', ' ' || ${bucket}), ' '), ${bucket})`
}

/** The tables with an index of words: the ids by which rows are divided, and which rows it has. */
export const indexed = {
  subscription: { id: "subscription_id", rows: "status = 'Live' and metadata <> ''" },
  attachment: { id: "attachment_id", rows: "metadata <> ''" }
} as const

export type Table = keyof typeof indexed

/** What the index of a table is of. */
export const indexedWords = (table: Table): string => bucketed(`${table}.metadata`, `${table}.${indexed[table].id}`)

/** The bucket that a row of the table is in. */
export const bucketOfRow = (table: Table): string => bucketOf(`${table}.${indexed[table].id}`)

const index = (table: Table, name: string, words: string) =>
  Step.Index({
    name: `${table}_${name}`,
    table,
    definition: `using gin ((${words}), (array[organization_id])) with (fastupdate = off) where ${indexed[table].rows}`,
    folds: true
  })

const undivided = (table: Table) => index(table, "words", words("metadata"))

const divided = (table: Table) => index(table, "note_words", bucketed("metadata", indexed[table].id))

/** Indexes whose rows are not divided. */
export const steps: ReadonlyArray<ReturnType<typeof Step.Index>> = [undivided("subscription"), undivided("attachment")]

/** Indexes whose rows are divided. */
export const bucketSteps: ReadonlyArray<ReturnType<typeof Step.Index>> = [
  divided("subscription"),
  divided("attachment")
]

/**
 * The end of the indexes of before. The version before searches metadata without an index while
 * processes of it are there.
 */
export const lastSteps: ReadonlyArray<ReturnType<typeof Step.Drop>> = (["subscription", "attachment"] as const).map(
  (table) => Step.Drop({ what: "index", name: undivided(table).name, table })
)

/**
 * Indexes of the words inside metadata (rules L1 and L4), for one organization or for all. They are
 * of arrays, so that they need no extension, and hold no entries back, which a search would have to
 * go over.
 *
 * An index of arrays gives the rows of a word only all together, and common words are in most rows.
 * So the rows are divided into buckets by their ids, each word is there once for each bucket, and a
 * search ends at the bucket that gives it enough. A bucket has as many rows as all before it. So a
 * rare word costs little, as there are few buckets, and of a common one little more is read than
 * the search needs.
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

/** The character of each bucket, in the order in which they are searched. */
export const buckets: ReadonlyArray<string> = Array.from("JIHGFEDCBA")

/**
 * The bucket of a row by the last digit of its id: none, `0`, `1` and so on to `f`. So `A` has a
 * half of the rows, `B` a quarter, `C` an eighth and `D` a sixteenth.
 */
const BY_LAST = "JJDCCBBBBAAAAAAAA"

/** The bucket by the digit before a last `0`: `E` has 1/32 of the rows, `H` and `I` 1/256 each. */
const BY_SECOND_LAST = "JIHGGFFFFEEEEEEEE"

const byDigit = (characters: string, digit: string): string =>
  `substr('${characters}', position(${digit} in '${DIGITS}') + 1, 1)`

/** The character of the bucket of a row. */
const bucketOf = (id: string): string =>
  `case right(${id}, 1)
        when '0' then ${byDigit(BY_SECOND_LAST, `left(right(${id}, 2), 1)`)}
        else ${byDigit(BY_LAST, `right(${id}, 1)`)}
      end`

/**
 * The words of metadata, each with the character of its row's bucket before it. An index is used by
 * what has this text as it stands.
 */
const bucketed = (metadata: string, id: string): string => {
  const bucket = `(${bucketOf(id)})`
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

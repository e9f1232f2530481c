/**
 * Indexes of the words inside metadata (rules L1 and L4), for one organization or for all. They are
 * of arrays, so that they need no extension, and hold no entries back, which a search would have to
 * go over.
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

/**
 * The words of metadata (`SimSearch.words`), each as often as it is there. The letters of ASCII
 * fold in a tenth of the time. An index is used by what has this text as it stands.
 */
export const words = (metadata: string): string => `array_remove(string_to_array(case
        when octet_length(${metadata}) = char_length(${metadata})
        then translate(lower(left(${metadata}, 256) collate "C"), E'${ASCII}', '${spaces(lengthOf(ASCII))}')
        else translate(
          left(${metadata}, 256) collate "C",
          E'${UPPER}${OTHERS}${ASCII}',
          '${LOWER}${spaces(OTHERS.length + lengthOf(ASCII))}'
        )
      end, ' '), '')`

/** The tables with an index of words, and the condition of the rows that it has. */
export const indexed = {
  subscription: "status = 'Live' and metadata <> ''",
  attachment: "metadata <> ''"
} as const

export type Table = keyof typeof indexed

const index = (table: Table) =>
  Step.Index({
    name: `${table}_words`,
    table,
    definition: `using gin ((${words("metadata")}), (array[organization_id])) with (fastupdate = off) where ${indexed[table]}`,
    folds: true
  })

export const steps: ReadonlyArray<ReturnType<typeof Step.Index>> = [index("subscription"), index("attachment")]

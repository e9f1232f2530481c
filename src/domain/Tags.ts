/**
 * The tags of a SIM (rule I14): words of its organization for it, which no decision goes by.
 */
import { Order, Result } from "effect"
import { InvalidField } from "./Refusal.ts"
import { folded } from "./SimSearch.ts"
import * as TextLimit from "./TextLimit.ts"

/** How many a SIM has at most. */
export const MOST = 20

/** What separates tags if they are one text. */
export const SEPARATOR = ";"

/** What no tag has: it separates tags in texts, or no page shows it. */
const FORBIDDEN = /[,;\p{Cc}]/u

/** The tags of one text; blank ones count for nothing. */
export const ofText = (text: string): ReadonlyArray<string> => text.split(SEPARATOR).filter((tag) => tag.trim() !== "")

const fail = (message: string) => Result.fail(new InvalidField({ field: "tags", message }))

const tagOf = (given: string): Result.Result<string, InvalidField> => {
  const tag = given.trim()
  if (tag === "") return fail("must not be blank")
  if (FORBIDDEN.test(tag)) return fail("must have no comma, semicolon or control character")
  return TextLimit.check("tags", tag, TextLimit.TAG)
}

/** Rule I14: the tags as a SIM has them: by their letters, whatever their case. */
export const parse = (given: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, InvalidField> =>
  Result.gen(function* () {
    if (given.length > MOST) return yield* fail(`must be at most ${MOST}`)
    const tags = new Map<string, string>()
    for (const one of given) {
      const tag = yield* tagOf(one)
      const name = folded(tag)
      if (tags.has(name)) return yield* fail(`must have each tag once, whatever its case: ${tag}`)
      tags.set(name, tag)
    }
    return [...tags].sort(([one], [other]) => Order.String(one, other)).map(([, tag]) => tag)
  })

/** Whether both are the same tags, in the same letters. */
export const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((tag, at) => tag === other[at])

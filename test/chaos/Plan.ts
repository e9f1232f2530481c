/** What goes wrong when, by the seed: everything together, for so long. */
import * as Random from "../faults/Random.ts"

export type Step = { readonly at: number } & (
  | { readonly act: "kill a process"; readonly member: number }
  | { readonly act: "restart the database" }
  | { readonly act: "promote the standby" }
  | { readonly act: "restart the pooler" }
  | { readonly act: "take the telco away"; readonly millis: number }
  | { readonly act: "fail endpoints"; readonly which: ReadonlyArray<number> }
)

const MINUTE = 60_000

/**
 * How often the database, the pooler and the telco go in all: once in each of these parts of the
 * time.
 */
const PARTS = 6

/**
 * Whether there is a kill each minute, and not one each few seconds, after which servers start at
 * the expense of all else.
 */
export const isSpaced = (millis: number): boolean => millis >= PARTS * MINUTE

/**
 * The part in which the standby is promoted; in the others the database ends as in a crash, and
 * starts again.
 */
const PROMOTION = 3

/**
 * Nothing more begins to go wrong in the last part of a part of the time: what is down comes back
 * in it.
 */
const ROOM = 0.6

/**
 * The steps in their order. A process is killed each minute, or six times where there are no six
 * minutes.
 */
export const of = (
  seed: number,
  millis: number,
  { endpoints, members }: { readonly members: number; readonly endpoints: number }
): ReadonlyArray<Step> => {
  const random = Random.make(seed)
  const part = millis / PARTS
  const each = Math.min(MINUTE, part)
  const kills = Array.from(
    { length: Math.floor(millis / each) },
    (_, index): Step => ({
      act: "kill a process",
      at: (index + ROOM * random.next()) * each,
      member: random.between(0, members - 1)
    })
  )
  const parts = Array.from({ length: PARTS }, (_, index): ReadonlyArray<Step> => {
    const within = () => (index + ROOM * random.next()) * part
    return [
      { act: index === PROMOTION ? "promote the standby" : "restart the database", at: within() },
      { act: "restart the pooler", at: within() },
      { act: "take the telco away", at: within(), millis: part / 4 }
    ]
  }).flat()
  /** Half of the endpoints fail all the time: one half at first, and then the other. */
  const first = Array.from({ length: endpoints }, (_, index) => index).filter((index) => index % 2 === seed % 2)
  const second = Array.from({ length: endpoints }, (_, index) => index).filter((index) => !first.includes(index))
  const failing: ReadonlyArray<Step> = [
    { act: "fail endpoints", at: 0, which: first },
    { act: "fail endpoints", at: millis / 2, which: second }
  ]
  return [...failing, ...kills, ...parts].toSorted((one, other) => one.at - other.at)
}

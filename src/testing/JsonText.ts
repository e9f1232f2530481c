/**
 * Other texts of a JSON value: with its fields in another order, white space, escapes, numbers
 * written in another way, and fields that come twice, of which the last one counts. Parsed, each is
 * the same value. Clients that repeat a request do not have to write it the same way (rule W2).
 */
import * as fc from "fast-check"

type Random = (below: number) => number

const seeded = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = <A>(random: Random, first: A, ...others: ReadonlyArray<A>): A => others[random(others.length + 1)] ?? first

const space = (random: Random): string => pick(random, "", "", " ", "\n", "\t", "\r\n  ")

const escaped = (unit: string, random: Random): string => {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, "0")
  return `\\u${pick(random, hex, hex.toUpperCase())}`
}

const string = (value: string, random: Random): string => {
  const rarely = random(2) === 0
  const units = value.split("").map((unit) => {
    if (random(rarely ? 20 : 3) === 0) return escaped(unit, random)
    return unit === "/" ? pick(random, "/", "\\/") : unit
  })
  // What is left of a pair of surrogates, and what has to be escaped, is.
  return `"${units.map((unit) => (unit.length === 1 ? JSON.stringify(unit).slice(1, -1) : unit)).join("")}"`
}

const number = (value: number, random: Random): string => {
  const text = JSON.stringify(value)
  if (text.includes("e")) return pick(random, text, text.toUpperCase())
  return pick(random, text, `${text}e0`, text.includes(".") ? `${text}0` : `${text}.0`)
}

const shuffled = <A>(list: ReadonlyArray<A>, random: Random): Array<A> => {
  const mixed: Array<A> = []
  for (const one of list) mixed.splice(random(mixed.length + 1), 0, one)
  return mixed
}

const write = (value: unknown, random: Random): string => {
  const around = (text: string) => `${space(random)}${text}${space(random)}`
  if (typeof value === "string") return around(string(value, random))
  if (typeof value === "number") return around(number(value, random))
  if (typeof value !== "object" || value === null) return around(JSON.stringify(value))
  if (Array.isArray(value)) return around(`[${value.map((one) => write(one, random)).join(",") || space(random)}]`)
  const fields = shuffled(Object.entries(value), random).flatMap(([name, field]) => {
    const named = (of: unknown) => `${around(string(name, random))}:${write(of, random)}`
    return random(8) === 0 ? [named(pick<unknown>(random, null, "other", [])), named(field)] : [named(field)]
  })
  return around(`{${fields.join(",") || space(random)}}`)
}

/** A text of the value, which `JSON.stringify` can write; each seed has another one. */
export const of = (value: unknown, seed: number): string => write(JSON.parse(JSON.stringify(value)), seeded(seed))

/** Texts of the value. */
export const texts = (value: unknown): fc.Arbitrary<string> => fc.integer().map((seed) => of(value, seed))

/**
 * The elements of one array in a large JSON object, read while the object arrives: `{"sims": [{…},
 * {…}]}`. Only a text of one element is held at a time, so memory does not grow with the object.
 *
 * The array is in the object, or in objects of its fields. It may have fields before and after it,
 * which are limited in length as each element is. An object that is malformed after some elements
 * fails there.
 */

/** The object is not JSON, has no such array, or a part of it is too long; `message` says which. */
export class Malformed extends Error {}

const notJson = () => new Malformed("body must be valid JSON")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
export const COMMA = 0x2c
const LINE_FEED = 0x0a

/**
 * Walks over a JSON text piece by piece. `visit` gets each bracket, comma and line feed outside of
 * strings, its place in the piece, and in how many arrays and objects it is: a bracket does not
 * count itself. The walk of a piece ends where `visit` says true.
 */
export const walker = () => {
  let depth = 0
  let inString = false
  let isEscaped = false
  return (piece: string, visit: (code: number, at: number, depth: number) => boolean): void => {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) inString = false
      } else if (code === QUOTE) inString = true
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (visit(code, at, depth++)) return
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        if (visit(code, at, --depth)) return
      } else if ((code === COMMA || code === LINE_FEED) && visit(code, at, depth)) return
    }
  }
}

/** In how many characters before the array its name is searched. */
const NEAR = 100

/** An element, and the line of the text on which it begins, counted from 1. */
export interface Element {
  readonly value: unknown
  readonly line: number
}

const lineFeeds = (text: string): number => text.split("\n").length - 1

/** Where the reader is: before the array, in it, or behind it. */
type Place = "head" | "array" | "tail"

export interface Options {
  /** The name of the array's field. */
  readonly field: string
  /** The longest element, and the longest text before or behind the array, in characters. */
  readonly longest: number
  /** In how many objects the array is; 1 by default. */
  readonly depth?: number
}

/**
 * Takes the object piece by piece. `take` gives the elements that a piece completes; `end` checks
 * that the object is whole; `rest` does so too, and gives it with an empty array, or without one
 * if there was none.
 */
export const make = ({ depth: inside = 1, field, longest }: Options) => {
  const isAtField = new RegExp(`[{,]\\s*"${field}"\\s*:\\s*$`)
  let place: Place = "head"
  let held = ""
  // The text before the array.
  let head = ""
  const walk = walker()
  let isFirst = true
  let line = 1
  // The line of the first character of an element's text, which may be blank.
  let begun = 1

  const element = (text: string, isLast: boolean): ReadonlyArray<Element> => {
    // An array without elements is the only one in which the text between two separators may be
    // blank.
    if (isLast && isFirst && text.trim() === "") return []
    isFirst = false
    const blank = text.slice(0, text.length - text.trimStart().length)
    const first = begun + lineFeeds(blank)
    begun = line
    return [{ value: parsed(text), line: first }]
  }

  const take = (piece: string): ReadonlyArray<Element> => {
    const found: Array<Element> = []
    let from = 0
    const complete = (at: number, isLast: boolean) => {
      found.push(...element(held + piece.slice(from, at), isLast))
      held = ""
      from = at + 1
    }
    const begin = (at: number) => {
      const near = at - from < NEAR ? held.slice(-NEAR) + piece.slice(from, at) : piece.slice(at - NEAR, at)
      if (!isAtField.test(near)) return
      head = held + piece.slice(from, at)
      parsed(`${head}[]${"}".repeat(inside)}`)
      place = "array"
      begun = line
      held = ""
      from = at + 1
    }
    walk(piece, (code, at, depth) => {
      if (code === LINE_FEED) line++
      else if (depth === inside && place === "head" && code === OPEN_ARRAY) begin(at)
      else if (depth === inside && place === "array") {
        if (code !== CLOSE_ARRAY) throw notJson()
        complete(at, true)
        place = "tail"
      } else if (depth === inside + 1 && place === "array" && code === COMMA) complete(at, false)
      return false
    })
    held += piece.slice(from)
    if (held.length > longest) {
      throw new Malformed(
        place === "head"
          ? `${field} must be an array that begins in the first ${longest} characters`
          : `body must not have a value of more than ${longest} characters`
      )
    }
    return found
  }

  const end = (): void => {
    const rest = place === "tail" ? parsed(`{"":0${held}`) : undefined
    if (typeof rest !== "object" || rest === null) throw notJson()
    if (Object.hasOwn(rest, field)) throw new Malformed(`${field} must be given once`)
  }

  const rest = (): unknown => {
    if (place === "array") throw notJson()
    return parsed(place === "head" ? held : `${head}[]${held}`)
  }

  return { take, end, rest }
}

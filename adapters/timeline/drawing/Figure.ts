/**
 * What the parts of a drawing share: the history, the time scale with its ticks, elements with
 * details, and SVG as text, with escaped attributes and rounded numbers. All times are UTC.
 */
import { Time } from "simplan"
import type { Attachment } from "simplan/ports"
import type { Drawn } from "../play/History.ts"

export interface TimeScale {
  readonly from: Time.Instant
  readonly to: Time.Instant
  readonly x: (at: Time.Instant) => number
}

/** A scale from one instant to another over a width that begins at `left`. */
export const scale = (from: Time.Instant, to: Time.Instant, left: number, width: number): TimeScale => ({
  from,
  to,
  x: (at) => left + ((Math.min(Math.max(at, from), to) - from) / (to - from)) * width
})

export interface Tick {
  readonly at: Time.Instant
  readonly label: string
  /** The year, at its first tick. */
  readonly year: string | null
}

const { DAY, HOUR, MINUTE } = Time

const minutes = [1, 5, 15].map((count) => count * MINUTE)
const hours = [1, 2, 3, 6, 12].map((count) => count * HOUR)
const days = [1, 2, 4, 7, 14].map((count) => count * DAY)
const spans = [...minutes, ...hours, ...days]

const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200] as const

const names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const

const clock = (at: Time.Instant): string => Time.toIso(at).slice(11, 16)

/** The day of an instant: `31 Jan`. */
export const day = (at: Time.Instant): string => {
  const date = new Date(at)
  return `${date.getUTCDate()} ${names[date.getUTCMonth()]}`
}

// 5 January 1970 was a Monday.
const MONDAY = 4 * DAY

const regular = (from: Time.Instant, to: Time.Instant, span: number): ReadonlyArray<Time.Instant> => {
  const origin = span >= 7 * DAY ? MONDAY : 0
  const first = Math.ceil((from - origin) / span) * span + origin
  return Array.from({ length: Math.max(0, Math.floor((to - first) / span) + 1) }, (_, index) => first + index * span)
}

const monthly = (from: Time.Instant, to: Time.Instant, step: number): ReadonlyArray<Time.Instant> => {
  const date = new Date(from)
  const first = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / step) * step
  const ticks: Array<Time.Instant> = []
  for (let month = first; ; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1)
    if (at > to) return ticks
    if (at >= from) ticks.push(at)
  }
}

/** Ticks with at least `room` pixels between them, on a scale of `width` pixels. */
export const ticks = (scale: TimeScale, width: number, room: number): ReadonlyArray<Tick> => {
  const length = scale.to - scale.from
  const atLeast = (length / width) * room
  const span = spans.find((one) => one >= atLeast)
  const step = months.find((count) => count * 30 * DAY >= atLeast) ?? 1_200
  const instants = span === undefined ? monthly(scale.from, scale.to, step) : regular(scale.from, scale.to, span)
  let year: string | null = null
  return instants.map((at) => {
    const mine = Time.toIso(at).slice(0, 4)
    const isNew = mine !== year
    year = mine
    const label = span === undefined ? (names[new Date(at).getUTCMonth()] ?? "") : at % DAY === 0 ? day(at) : clock(at)
    return { at, label, year: isNew ? mine : null }
  })
}

export interface Figure {
  readonly history: Drawn
  readonly scale: TimeScale
  readonly width: number
  /**
   * Whether details are `data-tip` attributes for the page's tooltips. If not, they are titles,
   * which viewers show.
   */
  readonly interactive: boolean
  /** What a state is called. */
  readonly wordOf: (state: Attachment.State) => string
}

/** A part of a drawing: its height, and its markup from `y`. */
export interface Part {
  readonly height: number
  readonly draw: (y: number) => Markup
}

/** Room between two parts. */
export const gap = (height: number): Part => ({ height, draw: () => "" })

/** An element with details, one line each. */
export const withDetails = (figure: Figure, details: ReadonlyArray<string>, ...children: ReadonlyArray<Markup>) =>
  figure.interactive
    ? element(
        "g",
        {
          class: "tl-thing",
          tabindex: -1,
          role: "img",
          "aria-label": details.join(", "),
          "data-tip": details.join("\n")
        },
        ...children
      )
    : element("g", { class: "tl-thing" }, element("title", {}, escape(details.join("\n"))), ...children)

/** The last instant of the drawing, where open intervals end. */
export const edge = ({ scale }: Figure): Time.Instant => scale.to

/** Escaped markup. */
export type Markup = string

type Attribute = string | number | undefined

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

/** A coordinate with at most one decimal. */
const short = (value: number): string => String(Math.round(value * 10) / 10)

/** An element without the undefined attributes. Children are markup, not text. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, Attribute>>,
  ...children: ReadonlyArray<Markup>
): Markup => {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : escape(value ?? "")}"`)
    .join("")
  const content = children.join("")
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}

export const rect = (
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  attributes: Readonly<Record<string, Attribute>>
): Markup => element("rect", { ...box, ...attributes })

export const text = (x: number, y: number, content: string, attributes: Readonly<Record<string, Attribute>>): Markup =>
  element("text", { x, y, ...attributes }, escape(content))

export const line = (x1: number, y1: number, x2: number, y2: number, className: string): Markup =>
  element("line", { x1, y1, x2, y2, class: className })

/** A path through points, from left to right. */
export const polyline = (points: ReadonlyArray<readonly [x: number, y: number]>): string =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${short(x)} ${short(y)}`).join("")

/** An upper estimate of the width of a text, which cannot be measured here. */
export const widthOf = (content: string, size = 11): number => {
  let units = 0
  for (const character of content) {
    units += /[A-Z_%→]/.test(character) ? 0.74 : /[ilj.,:;'() ]/.test(character) ? 0.38 : 0.62
  }
  return units * size
}

/** The text in lines of at most `width`. */
export const wrap = (content: string, width: number, size: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of content.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= width) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}

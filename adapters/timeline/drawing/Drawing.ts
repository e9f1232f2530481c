/**
 * Draws a history as SVG: marks, and for each attachment its states, packages and usage, over a date axis.
 *
 * The same history always has the same text, with colours for light and dark.
 */
import { Time } from "simplan"
import * as Changes from "../play/Changes.ts"
import type { Course, History } from "../play/History.ts"
import * as Rules from "../play/Rules.ts"
import * as Wording from "../output/Wording.ts"
import * as Axis from "./Axis.ts"
import type { Figure, Part } from "./Figure.ts"
import * as Legend from "./Legend.ts"
import * as Marks from "./Marks.ts"
import * as Packages from "./Packages.ts"
import * as States from "./States.ts"
import * as Style from "./Style.ts"
import * as Svg from "./Svg.ts"
import * as TimeScale from "./TimeScale.ts"
import * as Usage from "./Usage.ts"

export interface Options {
  /** In pixels, 960 by default. */
  readonly width?: number
  /** Whether the drawing has a title, the rules and a margin, true by default. */
  readonly alone?: boolean
  /** Whether the page shows the details in tooltips (see `Figure`). */
  readonly interactive?: boolean
}

const SIDE = 20
const EDGE = 14

/** The margin of a drawing that does not stand alone. */
const SLIM = 8

const heightOf = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { height }) => sum + height, 0)

/** Draws parts below each other, from `top`. */
const stacked = (parts: ReadonlyArray<Part>, top: number): Svg.Markup => {
  let y = top
  return parts
    .map((part) => {
      const markup = part.draw(y)
      y += part.height
      return markup
    })
    .join("")
}

const gap = (height: number): Part => ({ height, draw: () => "" })

const lines = (texts: ReadonlyArray<string>, className: string, size: number, left = SIDE): Part => ({
  height: texts.length * (size + 6),
  draw: (y) =>
    texts
      .map((text, index) =>
        Svg.text(left, y + size + index * (size + 6), text, { class: className, "font-size": size })
      )
      .join("")
})

const headings = ({ about, attachments, title }: History, width: number): ReadonlyArray<Part> => {
  const rules = [...new Set(attachments.flatMap(Changes.rulesOf).map(Rules.inWords))]
  const wrapped = [...rules, ...(about === null ? [] : [about])].flatMap((text) => Svg.wrap(text, width - 2 * SIDE, 12))
  return [lines(Svg.wrap(title, width - 2 * SIDE, 17), "tl-title", 16), gap(2), lines(wrapped, "tl-muted", 12), gap(10)]
}

/** The name of an attachment. A single attachment in a page has none, because the page shows the terms. */
const nameOf = (figure: Figure, course: Course, index: number, alone: boolean): ReadonlyArray<Part> => {
  const count = figure.history.attachments.length
  if (count === 1 && !alone) return []
  const name = count > 1 ? `attachment ${index + 1}: ` : ""
  const left = figure.scale.x(figure.scale.from)
  return [lines(Svg.wrap(name + Wording.terms(course.terms), figure.width - 2 * left, 11), "tl-name", 11, left), gap(2)]
}

const lane = (figure: Figure, course: Course, index: number, alone: boolean): ReadonlyArray<Part> => {
  const usage = Usage.part(figure, course)
  return [
    ...nameOf(figure, course, index, alone),
    States.part(figure, course),
    gap(6),
    Packages.part(figure, course),
    ...(usage === null ? [] : [gap(4), usage]),
    gap(12)
  ]
}

/** The time range of the drawing, with room on both sides. */
const extent = ({ attachments, end, start }: History): readonly [from: Time.Instant, to: Time.Instant] => {
  const packages = attachments.flatMap((course) => course.packages)
  const instants = packages.flatMap(({ activationAt, expirationAt }) => [activationAt, expirationAt])
  const known = instants.filter((at) => at !== null)
  const from = known.reduce((first, at) => Math.min(first, at), start)
  const to = known.reduce((last, at) => Math.max(last, at), Math.max(end, start + Time.DAY))
  const room = Math.ceil((to - from) * 0.02)
  return [from - room, to + room]
}

/** Draws the history. */
export const svg = (history: History, options: Options = {}): Svg.Markup => {
  const { alone = true, interactive = false, width = 960 } = options
  const [side, edge] = alone ? [SIDE, EDGE] : [SLIM, 2]
  const [from, to] = extent(history)
  const figure: Figure = {
    history,
    scale: TimeScale.make(from, to, side, width - 2 * side),
    width,
    interactive
  }
  const { attachments } = history
  const head = alone ? headings(history, width) : []
  const lanes = attachments.flatMap((course, index) => lane(figure, course, index, alone))
  const top = edge + heightOf(head)
  const body = [Marks.part(figure), gap(6), ...lanes]
  const bottom = top + heightOf(body)
  const legend = Legend.part(figure)
  const below = bottom + Axis.HEIGHT + 4
  const height = Math.ceil(below + legend.height + edge)
  return Svg.element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      class: "tl",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: interactive ? "group" : "img",
      "aria-label": `Timeline: ${history.title}`,
      tabindex: interactive ? 0 : undefined
    },
    Svg.element("style", {}, Style.css),
    Svg.rect({ x: 0, y: 0, width, height }, { class: "tl-ground", rx: 6 }),
    stacked(head, edge),
    Axis.draw(figure, top, bottom),
    stacked(body, top),
    legend.draw(below)
  )
}

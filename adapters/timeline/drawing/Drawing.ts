/**
 * Draws a history as SVG: marks, and for each attachment its states, packages and usage, over a
 * date axis.
 *
 * The same history always has the same text, with colours for light and dark.
 */
import { Time } from "simplan"
import type { Attachment } from "simplan/ports"
import * as History from "../play/History.ts"
import * as Rules from "../play/Rules.ts"
import * as Wording from "../Wording.ts"
import * as Figure from "./Figure.ts"
import * as Lanes from "./Lanes.ts"
import * as Marks from "./Marks.ts"
import * as Style from "./Style.ts"

export { css } from "./Style.ts"

export interface Options {
  /** In pixels, 960 by default. */
  readonly width?: number
  /** Whether the drawing has a title, the rules and a margin, true by default. */
  readonly alone?: boolean
  /** Whether the page shows the details in tooltips (see `Figure.Figure`). */
  readonly interactive?: boolean
  /**
   * Whether the drawing has its style sheet in it, true by default. A page that refuses such styles
   * adopts `css` itself.
   */
  readonly styled?: boolean
  /** What a state is called: by default as the API names it. */
  readonly wordOf?: (state: Attachment.State) => string
}

const SIDE = 20
const EDGE = 14

/** The margin of a drawing that does not stand alone. */
const SLIM = 8

const heightOf = (parts: ReadonlyArray<Figure.Part>): number => parts.reduce((sum, { height }) => sum + height, 0)

/** Draws parts below each other, from `top`. */
const stacked = (parts: ReadonlyArray<Figure.Part>, top: number): Figure.Markup => {
  let y = top
  return parts
    .map((part) => {
      const markup = part.draw(y)
      y += part.height
      return markup
    })
    .join("")
}

const lines = (texts: ReadonlyArray<string>, className: string, size: number, left = SIDE): Figure.Part => ({
  height: texts.length * (size + 6),
  draw: (y) =>
    texts
      .map((text, index) =>
        Figure.text(left, y + size + index * (size + 6), text, { class: className, "font-size": size })
      )
      .join("")
})

const headings = ({ about, attachments, title }: History.Drawn, width: number): ReadonlyArray<Figure.Part> => {
  const rules = [...new Set(attachments.flatMap(History.rulesOf).map(Rules.inWords))]
  const wrapped = [...rules, ...(about === null ? [] : [about])].flatMap((text) =>
    Figure.wrap(text, width - 2 * SIDE, 12)
  )
  return [
    lines(Figure.wrap(title, width - 2 * SIDE, 17), "tl-title", 16),
    Figure.gap(2),
    lines(wrapped, "tl-muted", 12),
    Figure.gap(10)
  ]
}

/**
 * The name of an attachment. A single attachment in a page has none, because the page shows the
 * terms.
 */
const nameOf = (
  figure: Figure.Figure,
  course: History.DrawnCourse,
  index: number,
  alone: boolean
): ReadonlyArray<Figure.Part> => {
  const count = figure.history.attachments.length
  if (count === 1 && !alone) return []
  const name = count > 1 ? `attachment ${index + 1}: ` : ""
  const left = figure.scale.x(figure.scale.from)
  const text = course.name ?? name + Wording.terms(course.terms)
  return [lines(Figure.wrap(text, figure.width - 2 * left, 11), "tl-name", 11, left), Figure.gap(2)]
}

/** The width for one label of the axis. */
const LABEL_ROOM = 62

/** The labels of a tick, within the drawing. */
const labels = (figure: Figure.Figure, { at, label, year }: Figure.Tick, y: number): Figure.Markup => {
  const half = Figure.widthOf(label) / 2
  const x = Math.min(Math.max(figure.scale.x(at), half), figure.width - half)
  const attributes = { class: "tl-muted", "text-anchor": "middle" }
  return Figure.text(x, y + 14, label, attributes) + (year === null ? "" : Figure.text(x, y + 27, year, attributes))
}

/**
 * The date axis: the grid from `top` to `bottom`, the line at the start of the scenario, and the
 * labels below.
 */
const axis = (figure: Figure.Figure, top: number, bottom: number): Figure.Markup => {
  const { history, scale } = figure
  const [left, right] = [scale.x(scale.from), scale.x(scale.to)]
  const start = scale.x(history.start)
  const ticks = Figure.ticks(scale, right - left, LABEL_ROOM)
  return [
    ...ticks.map((tick) => Figure.line(scale.x(tick.at), top, scale.x(tick.at), bottom, "tl-rule")),
    ...ticks.map((tick) => labels(figure, tick, bottom)),
    Figure.line(left, bottom, right, bottom, "tl-rule"),
    Figure.line(start, top, start, bottom, "tl-guide"),
    ...(history.now === undefined ? [] : [present(scale.x(history.now), top, bottom)])
  ].join("")
}

/** The line at the present, whose name stands to the left of it if there is room. */
const present = (x: number, top: number, bottom: number): Figure.Markup =>
  Figure.element("line", { x1: x, y1: top, x2: x, y2: bottom, stroke: "currentColor", "stroke-dasharray": "4 3" }) +
  Figure.text(x > 40 ? x - 4 : x + 4, bottom - 4, "now", {
    class: "tl-muted",
    "text-anchor": x > 40 ? "end" : "start"
  })

/** The height of the labels of the axis. */
const AXIS_HEIGHT = 34

interface Item {
  readonly label: string
  readonly draw: (x: number, y: number) => Figure.Markup
}

const swatch = (className: string) => (x: number, y: number) =>
  Figure.rect({ x, y: y - 5, width: 14, height: 10 }, { class: className, rx: 2 })

const stroke = (className: string) => (x: number, y: number) => Figure.line(x, y, x + 14, y, className)

const markNames = {
  step: "step",
  purchase: "purchase of an eSIM",
  webhook: "webhook",
  bad: "refused or failed"
} as const satisfies Record<Marks.Kind, string>

const order: ReadonlyArray<Attachment.State> = ["CREATED", "PENDING_FOR_FIRST_USE", "ACTIVE", "SUSPENDED", "EXPIRED"]

const items = (figure: Figure.Figure): ReadonlyArray<Item> => {
  const { attachments } = figure.history
  const packages = attachments.flatMap((course) => course.packages)
  const created = packages.filter(({ status }) => status === "Created")
  const ahead = created.filter(
    ({ activationAt, createdAt }) => activationAt === null || (createdAt ?? activationAt) < activationAt
  )
  const [waiting, leading] = [ahead.some(({ waited }) => waited), ahead.some(({ waited }) => !waited)]
  const isActivated = created.some(({ activationAt }) => activationAt !== null)
  const isUsed = packages.some(({ used }) => used.length > 0)
  const isThrottled = isUsed && attachments.some(({ terms }) => terms.throttling.length > 0)
  const when = (condition: boolean, label: string, draw: Item["draw"]): ReadonlyArray<Item> =>
    condition ? [{ label, draw }] : []
  return [
    ...order
      .filter((state) => attachments.some(({ states }) => states.some((one) => one.state === state)))
      .map((state) => ({ label: figure.wordOf(state), draw: swatch(`tl-${Lanes.stateClasses[state]}`) })),
    ...when(isActivated, "package", swatch("tl-package")),
    ...when(leading, "created, not yet active (lead time)", stroke("tl-lead")),
    ...when(waiting, "waits for its first use", stroke("tl-waiting")),
    ...when(created.length < packages.length, "refused or lapsed", swatch("tl-missing")),
    ...when(isUsed, "used", stroke("tl-usage")),
    ...when(isThrottled, "throttled", stroke("tl-throttled")),
    ...Marks.present(figure).map((kind) => ({
      label: markNames[kind],
      draw: (x: number, y: number) => Marks.sign(kind, x + 7, y)
    }))
  ]
}

const ROW = 18

/** The legend, in rows: the colours and signs that occur in the drawing. */
const legendOf = (figure: Figure.Figure): Figure.Part => {
  const [left, right] = [figure.scale.x(figure.scale.from), figure.scale.x(figure.scale.to)]
  let [x, row] = [left, 0]
  const placed = items(figure).map((item) => {
    const width = 20 + Figure.widthOf(item.label) + 16
    if (x > left && x + width > right + 16) [x, row] = [left, row + 1]
    const place = { item, x, row }
    x += width
    return place
  })
  return {
    height: (row + 1) * ROW,
    draw: (y) =>
      placed
        .map(({ item, x: at, row: of }) => {
          const middle = y + of * ROW + ROW / 2
          return item.draw(at, middle) + Figure.text(at + 20, middle + 4, item.label, { class: "tl-muted" })
        })
        .join("")
  }
}

/** The time range of the drawing, with room on both sides. */
const extent = ({ attachments, end, start }: History.Drawn): readonly [from: Time.Instant, to: Time.Instant] => {
  const packages = attachments.flatMap((course) => course.packages)
  const instants = packages.flatMap(({ activationAt, expirationAt }) => [activationAt, expirationAt])
  const known = instants.filter((at) => at !== null)
  const from = known.reduce((first, at) => Math.min(first, at), start)
  const to = known.reduce((last, at) => Math.max(last, at), Math.max(end, start + Time.DAY))
  const room = Math.ceil((to - from) * 0.02)
  return [from - room, to + room]
}

/** Draws the history. */
export const svg = (history: History.Drawn, options: Options = {}): Figure.Markup => {
  const { alone = true, interactive = false, styled = true, width = 960, wordOf = (state) => state } = options
  const [side, edge] = alone ? [SIDE, EDGE] : [SLIM, 2]
  const [from, to] = extent(history)
  const figure: Figure.Figure = {
    history,
    scale: Figure.scale(from, to, side, width - 2 * side),
    width,
    interactive,
    wordOf
  }
  const { attachments } = history
  const head = alone ? headings(history, width) : []
  const lanes = attachments.flatMap((course, index) => [
    ...nameOf(figure, course, index, alone),
    ...Lanes.parts(figure, course)
  ])
  const top = edge + heightOf(head)
  const body = [Marks.part(figure), Figure.gap(6), ...lanes]
  const bottom = top + heightOf(body)
  const legend = legendOf(figure)
  const below = bottom + AXIS_HEIGHT + 4
  const height = Math.ceil(below + legend.height + edge)
  return Figure.element(
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
    styled ? Figure.element("style", {}, Style.css) : "",
    Figure.rect({ x: 0, y: 0, width, height }, { class: "tl-ground", rx: 6 }),
    stacked(head, edge),
    axis(figure, top, bottom),
    stacked(body, top),
    legend.draw(below)
  )
}

/**
 * The pictures of the page, as SVG: the states of an attachment, and what each of the seven `active_period` rules makes of
 * a request.
 */
import * as Html from "./Html.ts"

const WIDTH = 640

/** The width of a column: half a day, or as much as a picture needs; pictures are not to scale beyond. */
const COLUMN = 64

const label = (x: number, y: number, text: string, kind = "muted"): string =>
  `<text class="${kind}" x="${x}" y="${y}" text-anchor="middle">${Html.escape(text)}</text>`

interface Bar {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly kind?: "package" | "later" | "waiting"
}

interface Mark {
  readonly at: number
  readonly text: string
}

interface Picture {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  /** Above the line. */
  readonly above: ReadonlyArray<Mark>
  /** Below the line: what the service does. */
  readonly below: ReadonlyArray<Mark>
}

const LINE = 62

const bar = ({ from, kind = "package", text, to }: Bar): string => {
  const x = from * COLUMN
  const width = (to - from) * COLUMN
  return `<rect class="${kind}" x="${x}" y="${LINE - 24}" width="${width}" height="24" rx="3"/>${label(x + width / 2, LINE - 8, text, "ink")}`
}

const above = ({ at, text }: Mark): string =>
  `<line class="guide" x1="${at * COLUMN}" y1="24" x2="${at * COLUMN}" y2="${LINE}"/>${label(at * COLUMN, 18, text)}`

const below = ({ at, text }: Mark): string =>
  `<circle class="act" cx="${at * COLUMN}" cy="${LINE}" r="4"/>${label(at * COLUMN, LINE + 20, text)}`

const draw = ({ above: marks, bars, below: acts, title }: Picture): string =>
  [
    `<svg viewBox="0 0 ${WIDTH} 92" role="img" aria-label="${Html.escape(title)}">`,
    `<line class="axis" x1="16" y1="${LINE}" x2="${WIDTH - 16}" y2="${LINE}"/>`,
    ...bars.map(bar),
    ...marks.map(above),
    ...acts.map(below),
    "</svg>"
  ].join("")

const now = (at: number): Mark => ({ at, text: "request" })
const created = (at: number): Mark => ({ at, text: "package created" })

const pictures: ReadonlyArray<Picture> = [
  {
    title: "Without `active_period`, the package of a plan that does not recur activates at first use.",
    bars: [
      { from: 1, to: 4, text: "waits", kind: "waiting" },
      { from: 4, to: 8, text: "period_days" }
    ],
    above: [now(1), { at: 4, text: "first use" }],
    below: [created(1)]
  },
  {
    title: "With `active_period`, `start` and `end` are both required, and override the plan's validity.",
    bars: [{ from: 3, to: 7, text: "the package" }],
    above: [now(1), { at: 3, text: "start" }, { at: 7, text: "end" }],
    below: [created(1)]
  },
  {
    title: "Without `active_period`, a recurring plan begins at first use.",
    bars: [
      { from: 1, to: 3, text: "waits", kind: "waiting" },
      { from: 3, to: 5.5, text: "package 1" },
      { from: 5.5, to: 8, text: "package 2", kind: "later" }
    ],
    above: [now(1), { at: 3, text: "first use" }, { at: 5.5, text: "+ 1 cycle" }],
    below: [created(1), { at: 4.8, text: "12 h before" }]
  },
  {
    title: "With `active_period`, a recurring plan needs `start` alone; an `end` is ignored.",
    bars: [
      { from: 2, to: 4.5, text: "package 1" },
      { from: 4.5, to: 7, text: "package 2", kind: "later" },
      { from: 7, to: 9.5, text: "package 3", kind: "later" }
    ],
    above: [now(1), { at: 2, text: "start" }, { at: 6, text: "end: ignored" }],
    below: [created(1)]
  },
  {
    title: "A recurring plan's `start` may lie at most 24 hours in the past: the first package is created immediately.",
    bars: [
      { from: 2, to: 5.5, text: "package 1" },
      { from: 5.5, to: 9, text: "package 2", kind: "later" }
    ],
    above: [{ at: 2, text: "start" }, now(3.5)],
    below: [created(3.5)]
  },
  {
    title: "A recurring plan's `start` within the next 12 hours: the first package is created immediately.",
    bars: [
      { from: 3, to: 6, text: "package 1" },
      { from: 6, to: 9, text: "package 2", kind: "later" }
    ],
    above: [now(2), { at: 3, text: "start" }],
    below: [created(2)]
  },
  {
    title: "A recurring plan's `start` further ahead: the first package is created 12 hours before it.",
    bars: [{ from: 6, to: 9, text: "package 1" }],
    above: [now(1), { at: 6, text: "start" }],
    below: [{ at: 5, text: "created 12 h before" }]
  }
]

/** The seven rules, each with its picture. */
export const activePeriod = pictures
  .map((picture) => `<li><p>${Html.text(picture.title)}</p>${draw(picture)}</li>`)
  .join("")

const state = (x: number, y: number, width: number, name: string, kind: string): string =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="30" rx="5"/>${label(x + width / 2, y + 19, name, "ink")}`

const arrow = (path: string): string => `<path class="arrow" d="${path}" marker-end="url(#head)"/>`

/** The states of an attachment (rule T2). */
export const states: string = [
  '<svg viewBox="0 0 640 200" role="img" aria-label="The states of an attachment">',
  '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
  '<path class="act" d="M0 0L8 4L0 8z"/></marker></defs>',
  state(10, 60, 90, "CREATED", "later"),
  state(190, 20, 190, "PENDING_FOR_FIRST_USE", "waiting"),
  state(440, 60, 70, "ACTIVE", "package"),
  state(560, 60, 72, "EXPIRED", "later"),
  state(250, 150, 100, "SUSPENDED", "stopped"),
  arrow("M100 66L188 38"),
  arrow("M380 38L438 64"),
  arrow("M100 80L438 80"),
  arrow("M510 75L558 75"),
  arrow("M55 90L55 165L248 165"),
  arrow("M300 50L300 148"),
  arrow("M475 90L475 165L352 165"),
  label(104, 28, "at the telco, waits for use"),
  label(440, 30, "first use"),
  label(205, 95, "activation comes"),
  label(534, 52, "expiry"),
  label(150, 182, "suspended, for good"),
  "</svg>"
].join("")

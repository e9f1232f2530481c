/**
 * The lane of an attachment: its states, its packages and their usage, below each other.
 */
import type { Time } from "simplan"
import { Allowance, type Attachment } from "simplan/ports"
import { type DrawnCourse, type DrawnPackage, limitAt } from "../play/History.ts"
import * as Wording from "../Wording.ts"
import * as Figure from "./Figure.ts"

/** The names of the states in the style sheet. */
export const stateClasses = {
  CREATED: "created",
  PENDING_FOR_FIRST_USE: "pending",
  ACTIVE: "active",
  SUSPENDED: "suspended",
  EXPIRED: "expired"
} as const satisfies Record<Attachment.State, string>

const BAND = 20

const band = (
  figure: Figure.Figure,
  y: number,
  state: Attachment.State,
  from: Time.Instant,
  to: Time.Instant,
  isLast: boolean
): Figure.Markup => {
  const x = figure.scale.x(from)
  const width = Math.max(1, figure.scale.x(to) - x)
  const name = stateClasses[state]
  const word = figure.wordOf(state)
  const fits = Figure.widthOf(word, 10) + 22 < width
  return Figure.withDetails(
    figure,
    [word, isLast ? `since ${Wording.instant(from)}` : `${Wording.instant(from)} to ${Wording.instant(to)}`],
    Figure.rect({ x, y, width, height: BAND }, { class: `tl-${name}`, rx: Math.min(3, width / 2) }),
    fits ? Figure.text(x + 7, y + 13.5, word, { class: `tl-${name}-ink` }) : ""
  )
}

/** The states of an attachment, as a coloured band. */
const states = (figure: Figure.Figure, { removedAt, states }: DrawnCourse): Figure.Part => ({
  height: BAND,
  draw: (y) =>
    states
      .map(({ from, state }, index) => {
        const next = states[index + 1]?.from
        return band(figure, y, state, from, next ?? removedAt ?? Figure.edge(figure), next === undefined)
      })
      .join("")
})

/** The most rows of packages that overlap. */
const ROWS = 16

const begin = ({ activationAt, createdAt }: DrawnPackage): Time.Instant =>
  Math.min(createdAt ?? Number.POSITIVE_INFINITY, activationAt ?? Number.POSITIVE_INFINITY)

/** Packages in rows, so that none overlap in a row. */
const inRows = (packages: ReadonlyArray<DrawnPackage>): ReadonlyArray<ReadonlyArray<DrawnPackage>> => {
  const rows: Array<Array<DrawnPackage>> = []
  for (const pack of packages) {
    const free = rows.find((row) => (row.at(-1)?.expirationAt ?? Number.POSITIVE_INFINITY) <= begin(pack))
    if (free === undefined) rows.push([pack])
    else free.push(pack)
  }
  return rows
}

/** Labels for a bar, the longest first. */
const labels = (pack: DrawnPackage, recurs: boolean): ReadonlyArray<string> => {
  const { activationAt, expirationAt } = pack
  const number = recurs ? String(pack.occurrence + 1) : ""
  const days =
    activationAt === null || expirationAt === null ? null : `${Figure.day(activationAt)} – ${Figure.day(expirationAt)}`
  const name = `package ${number}`.trimEnd()
  const dated = days === null ? [] : [`${name}: ${days}`, recurs ? `${number}: ${days}` : days]
  return [...dated, name, ...(recurs ? [number] : [])]
}

const detailsOf = (course: DrawnCourse, pack: DrawnPackage): ReadonlyArray<string> => {
  const { activationAt, expirationAt, used } = pack
  const recurs = course.terms.recurrence
  const name = recurs === null ? "package" : `package ${pack.occurrence + 1} of ${recurs.occurrences}`
  const bytes = used.at(-1)?.bytes ?? 0
  const early = activationAt === null || pack.createdAt === null ? 0 : activationAt - pack.createdAt
  const created = {
    Created:
      pack.createdAt === null
        ? "created at the telco"
        : `created ${Wording.instant(pack.createdAt)}${early > 0 ? `, ${Wording.span(early)} before` : ""}`,
    Lapsed: "recorded without the telco: its period was over",
    Refused: "refused by the telco"
  }
  return [
    name,
    created[pack.status],
    ...(activationAt === null || expirationAt === null
      ? ["waits for its first use"]
      : [`active ${Wording.instant(activationAt)} to ${Wording.instant(expirationAt)}`]),
    ...(bytes > 0 ? [`used ${Wording.bytes(bytes)}`] : [])
  ]
}

const bar = (
  figure: Figure.Figure,
  course: DrawnCourse,
  pack: DrawnPackage,
  y: number,
  height: number
): Figure.Markup => {
  const { x } = figure.scale
  const edge = Figure.edge(figure)
  const gone = course.removedAt ?? edge
  const { activationAt, createdAt } = pack
  const middle = y + height / 2
  const before = activationAt ?? gone
  const lead =
    pack.status === "Created" && createdAt !== null && createdAt < before
      ? [
          Figure.line(x(createdAt), middle, x(before), middle, pack.waited ? "tl-waiting" : "tl-lead"),
          Figure.line(x(createdAt), y + 3, x(createdAt), y + height - 3, pack.waited ? "tl-waiting" : "tl-lead")
        ]
      : []
  if (activationAt === null) return Figure.withDetails(figure, detailsOf(course, pack), ...lead)
  const stop = Math.min(course.suspendedAt ?? edge, gone)
  const end = pack.expirationAt ?? edge
  const name = pack.status === "Created" ? "package" : "missing"
  const box = (from: Time.Instant, to: Time.Instant, className: string) => {
    const width = x(to) - x(from)
    const inset = width > 4 ? 0.5 : 0
    const size = { x: x(from) + inset, y: y + 0.5, width: Math.max(1, width - 2 * inset), height: height - 1 }
    return Figure.rect(size, { class: className, rx: Math.min(3, size.width / 2) })
  }
  const stopped = stop < end
  const room = x(Math.min(end, stop > activationAt ? stop : end)) - x(activationAt) - 10
  const label =
    height < 14 ? undefined : labels(pack, course.terms.recurrence !== null).find((one) => Figure.widthOf(one) < room)
  return Figure.withDetails(
    figure,
    detailsOf(course, pack),
    ...lead,
    stop > activationAt ? box(activationAt, Math.min(end, stop), `tl-${name}`) : "",
    stopped ? box(Math.max(stop, activationAt), end, `tl-${name} tl-stopped`) : "",
    label === undefined ? "" : Figure.text(x(activationAt) + 6, y + height / 2 + 4, label, { class: `tl-${name}-ink` })
  )
}

/**
 * The packages as bars over their active periods, with a line from the creation to the activation.
 */
const packages = (figure: Figure.Figure, course: DrawnCourse): Figure.Part => {
  const rows = inRows(course.packages)
  const shown = rows.slice(0, ROWS)
  const hidden = rows.slice(ROWS).reduce((sum, row) => sum + row.length, 0)
  const height = shown.length > 6 ? 10 : 18
  const gap = shown.length > 6 ? 2 : 4
  const below = shown.length * (height + gap)
  return {
    height: below + (hidden > 0 ? 16 : 0),
    draw: (y) =>
      shown
        .flatMap((row, index) => row.map((pack) => bar(figure, course, pack, y + index * (height + gap), height)))
        .join("") +
      (hidden > 0
        ? Figure.text(figure.scale.x(figure.scale.from), y + below + 11, `and ${hidden} more that overlap with these`, {
            class: "tl-muted"
          })
        : "")
  }
}

const HEIGHT = 84
const TALL = 116
const TOP = 16

/** The least distance between the labels of two thresholds, in pixels. */
const APART = 12

/** With more rises than this, no points are drawn. */
const POINTS = 90

interface Step {
  readonly from: Time.Instant
  readonly to: Time.Instant
  readonly bytes: number
}

/** The usage of a package, from its activation to its end. */
const stepsOf = (figure: Figure.Figure, course: DrawnCourse, pack: DrawnPackage): ReadonlyArray<Step> => {
  if (pack.activationAt === null) return []
  const last = pack.used.at(-1)?.at ?? 0
  const { now = figure.scale.to } = figure.history
  const end = Math.max(last, Math.min(pack.expirationAt ?? now, course.suspendedAt ?? now, now))
  const marks = [{ at: pack.activationAt, bytes: 0 }, ...pack.used]
  return marks.map(({ at, bytes }, index) => ({ from: at, to: marks[index + 1]?.at ?? end, bytes }))
}

const curve = (
  figure: Figure.Figure,
  { terms }: DrawnCourse,
  steps: ReadonlyArray<Step>,
  floor: number,
  level: (bytes: number) => number
): Figure.Markup => {
  const { x } = figure.scale
  const points = steps.flatMap(
    ({ bytes, from, to }): ReadonlyArray<readonly [number, number]> => [
      [x(from), level(bytes)],
      [x(to), level(bytes)]
    ]
  )
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ""
  const area = `${Figure.polyline([[first[0], floor], ...points, [last[0], floor]])}Z`
  const held = steps.filter(({ bytes }) => limitAt(terms, bytes) !== null)
  return [
    Figure.element("path", { d: area, class: "tl-area" }),
    Figure.element("path", { d: Figure.polyline(points), class: "tl-usage" }),
    ...held.map(({ bytes, from, to }) => Figure.line(x(from), level(bytes), x(to), level(bytes), "tl-throttled"))
  ].join("")
}

const point = (
  figure: Figure.Figure,
  { terms }: DrawnCourse,
  step: Step,
  level: (bytes: number) => number
): Figure.Markup => {
  const allowance = Allowance.bytesOf(terms)
  const limit = limitAt(terms, step.bytes)
  const speed = limit === null ? [] : [`held at ${limit} Kbit/s`]
  const used = `${Wording.bytes(step.bytes)} of ${Wording.bytes(allowance)} used (${Wording.percent(step.bytes / allowance)})`
  return Figure.withDetails(
    figure,
    [used, ...speed, Wording.instant(step.from)],
    Figure.element("circle", { cx: figure.scale.x(step.from), cy: level(step.bytes), r: 3, class: "tl-point" })
  )
}

/** The thresholds with their speeds. Labels that are too close are moved up. */
const thresholds = (figure: Figure.Figure, { terms }: DrawnCourse, level: (bytes: number) => number): Figure.Markup => {
  const [left, right] = [figure.scale.x(figure.scale.from), figure.scale.x(figure.scale.to)]
  let above = Number.POSITIVE_INFINITY
  return terms.throttling
    .map(({ limit, percentage }) => {
      const at = level((Allowance.bytesOf(terms) * percentage) / 100)
      above = Math.min(at - 3, above - APART)
      const name = `${percentage} % → ${limit} Kbit/s`
      return (
        Figure.line(left, at, right, at, "tl-threshold") +
        Figure.text(right, above, name, { class: "tl-speed", "text-anchor": "end" })
      )
    })
    .join("")
}

/**
 * The usage of each package as a line, in another colour while the speed is limited, with the
 * throttling thresholds; null if nothing was used.
 */
const usage = (figure: Figure.Figure, course: DrawnCourse): Figure.Part | null => {
  const used = course.packages.filter((pack) => pack.used.length > 0)
  if (used.length === 0) return null
  const allowance = Allowance.bytesOf(course.terms)
  const most = Math.max(allowance, ...used.map((pack) => pack.used.at(-1)?.bytes ?? 0))
  const [left, right] = [figure.scale.x(figure.scale.from), figure.scale.x(figure.scale.to)]
  const count = used.reduce((sum, pack) => sum + pack.used.length, 0)
  const height = course.terms.throttling.length > 0 ? TALL : HEIGHT
  return {
    height,
    draw: (y) => {
      const floor = y + height - 6
      const level = (bytes: number) => floor - (bytes / most) * (height - 6 - TOP)
      const curves = used.map((pack) => stepsOf(figure, course, pack))
      const points = count > POINTS ? [] : curves.flatMap((steps) => steps.slice(1))
      return [
        Figure.line(left, floor, right, floor, "tl-rule"),
        Figure.line(left, level(allowance), right, level(allowance), "tl-rule"),
        ...curves.map((steps) => curve(figure, course, steps, floor, level)),
        thresholds(figure, course, level),
        Figure.text(left, level(allowance) - 3, Wording.bytes(allowance), { class: "tl-muted" }),
        ...points.map((step) => point(figure, course, step, level))
      ].join("")
    }
  }
}

/** The parts of a lane, from above. */
export const parts = (figure: Figure.Figure, course: DrawnCourse): ReadonlyArray<Figure.Part> => {
  const used = usage(figure, course)
  return [
    states(figure, course),
    Figure.gap(6),
    packages(figure, course),
    ...(used === null ? [] : [Figure.gap(4), used]),
    Figure.gap(12)
  ]
}

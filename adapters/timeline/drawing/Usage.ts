/**
 * The usage of each package as a line, in another colour while the speed is limited, with the throttling thresholds.
 */
import type { Time } from "simplan"
import { Plan } from "simplan/ports"
import type { Course, PackageCourse } from "../play/History.ts"
import * as Courses from "../play/Courses.ts"
import * as Wording from "../output/Wording.ts"
import * as Figure from "./Figure.ts"
import * as Svg from "./Svg.ts"

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
const stepsOf = (figure: Figure.Figure, course: Course, pack: PackageCourse): ReadonlyArray<Step> => {
  if (pack.activationAt === null) return []
  const last = pack.used.at(-1)?.at ?? 0
  const end = Math.max(last, Math.min(pack.expirationAt ?? figure.scale.to, course.suspendedAt ?? figure.scale.to))
  const marks = [{ at: pack.activationAt, bytes: 0 }, ...pack.used]
  return marks.map(({ at, bytes }, index) => ({ from: at, to: marks[index + 1]?.at ?? end, bytes }))
}

const curve = (
  figure: Figure.Figure,
  { terms }: Course,
  steps: ReadonlyArray<Step>,
  floor: number,
  level: (bytes: number) => number
): Svg.Markup => {
  const { x } = figure.scale
  const points = steps.flatMap(
    ({ bytes, from, to }): ReadonlyArray<readonly [number, number]> => [
      [x(from), level(bytes)],
      [x(to), level(bytes)]
    ]
  )
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ""
  const area = `${Svg.polyline([[first[0], floor], ...points, [last[0], floor]])}Z`
  const held = steps.filter(({ bytes }) => Courses.limitAt(terms, bytes) !== null)
  return [
    Svg.element("path", { d: area, class: "tl-area" }),
    Svg.element("path", { d: Svg.polyline(points), class: "tl-usage" }),
    ...held.map(({ bytes, from, to }) => Svg.line(x(from), level(bytes), x(to), level(bytes), "tl-throttled"))
  ].join("")
}

const point = (figure: Figure.Figure, { terms }: Course, step: Step, level: (bytes: number) => number): Svg.Markup => {
  const of = Plan.allowanceBytes(terms)
  const limit = Courses.limitAt(terms, step.bytes)
  const speed = limit === null ? [] : [`held at ${limit} Kbit/s`]
  const used = `${Wording.bytes(step.bytes)} of ${Wording.bytes(of)} used (${Wording.percent(step.bytes / of)})`
  return Figure.withDetails(
    figure,
    [used, ...speed, Wording.instant(step.from)],
    Svg.element("circle", { cx: figure.scale.x(step.from), cy: level(step.bytes), r: 3, class: "tl-point" })
  )
}

/** The thresholds with their speeds. Labels that are too close are moved up. */
const thresholds = (figure: Figure.Figure, { terms }: Course, level: (bytes: number) => number): Svg.Markup => {
  const [left, right] = [figure.scale.x(figure.scale.from), figure.scale.x(figure.scale.to)]
  let above = Number.POSITIVE_INFINITY
  return terms.throttling
    .map(({ limit, percentage }) => {
      const at = level((Plan.allowanceBytes(terms) * percentage) / 100)
      above = Math.min(at - 3, above - APART)
      const name = `${percentage} % → ${limit} Kbit/s`
      return (
        Svg.line(left, at, right, at, "tl-threshold") +
        Svg.text(right, above, name, { class: "tl-speed", "text-anchor": "end" })
      )
    })
    .join("")
}

/** Null if nothing was used. */
export const part = (figure: Figure.Figure, course: Course): Figure.Part | null => {
  const used = course.packages.filter((pack) => pack.used.length > 0)
  if (used.length === 0) return null
  const of = Plan.allowanceBytes(course.terms)
  const most = Math.max(of, ...used.map((pack) => pack.used.at(-1)?.bytes ?? 0))
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
        Svg.line(left, floor, right, floor, "tl-rule"),
        Svg.line(left, level(of), right, level(of), "tl-rule"),
        ...curves.map((steps) => curve(figure, course, steps, floor, level)),
        thresholds(figure, course, level),
        Svg.text(left, level(of) - 3, Wording.bytes(of), { class: "tl-muted" }),
        ...points.map((step) => point(figure, course, step, level))
      ].join("")
    }
  }
}

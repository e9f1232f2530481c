/**
 * The packages of an attachment as bars over their active periods, with a line from the creation to the activation.
 */
import type { Time } from "simplan"
import type { Course, PackageCourse } from "../play/History.ts"
import * as Wording from "../output/Wording.ts"
import * as Figure from "./Figure.ts"
import * as Svg from "./Svg.ts"
import * as TimeScale from "./TimeScale.ts"

/** The most rows of packages that overlap. */
const ROWS = 16

const begin = ({ activationAt, createdAt }: PackageCourse): Time.Instant =>
  activationAt === null ? createdAt : Math.min(createdAt, activationAt)

/** Packages in rows, so that none overlap in a row. */
const inRows = (packages: ReadonlyArray<PackageCourse>): ReadonlyArray<ReadonlyArray<PackageCourse>> => {
  const rows: Array<Array<PackageCourse>> = []
  for (const pack of packages) {
    const free = rows.find((row) => (row.at(-1)?.expirationAt ?? Number.POSITIVE_INFINITY) <= begin(pack))
    if (free === undefined) rows.push([pack])
    else free.push(pack)
  }
  return rows
}

/** Labels for a bar, the longest first. */
const labels = (pack: PackageCourse, recurs: boolean): ReadonlyArray<string> => {
  const { activationAt, expirationAt } = pack
  const number = recurs ? String(pack.occurrence + 1) : ""
  const days =
    activationAt === null || expirationAt === null
      ? null
      : `${TimeScale.day(activationAt)} – ${TimeScale.day(expirationAt)}`
  const name = `package ${number}`.trimEnd()
  const dated = days === null ? [] : [`${name}: ${days}`, recurs ? `${number}: ${days}` : days]
  return [...dated, name, ...(recurs ? [number] : [])]
}

const details = (course: Course, pack: PackageCourse): ReadonlyArray<string> => {
  const { activationAt, expirationAt, used } = pack
  const recurs = course.terms.recurrence
  const name = recurs === null ? "package" : `package ${pack.occurrence + 1} of ${recurs.occurrences}`
  const bytes = used.at(-1)?.bytes ?? 0
  const early = activationAt === null ? 0 : activationAt - pack.createdAt
  const created = {
    Created: `created ${Wording.instant(pack.createdAt)}${early > 0 ? `, ${Wording.span(early)} before` : ""}`,
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

const bar = (figure: Figure.Figure, course: Course, pack: PackageCourse, y: number, height: number): Svg.Markup => {
  const { x } = figure.scale
  const edge = Figure.edge(figure)
  const gone = course.removedAt ?? edge
  const { activationAt, createdAt } = pack
  const middle = y + height / 2
  const before = activationAt ?? gone
  const lead =
    pack.status === "Created" && createdAt < before
      ? [
          Svg.line(x(createdAt), middle, x(before), middle, pack.waited ? "tl-waiting" : "tl-lead"),
          Svg.line(x(createdAt), y + 3, x(createdAt), y + height - 3, pack.waited ? "tl-waiting" : "tl-lead")
        ]
      : []
  if (activationAt === null) return Figure.withDetails(figure, details(course, pack), ...lead)
  const stop = Math.min(course.suspendedAt ?? edge, gone)
  const end = pack.expirationAt ?? edge
  const name = pack.status === "Created" ? "package" : "missing"
  const box = (from: Time.Instant, to: Time.Instant, className: string) => {
    const width = x(to) - x(from)
    const inset = width > 4 ? 0.5 : 0
    const size = { x: x(from) + inset, y: y + 0.5, width: Math.max(1, width - 2 * inset), height: height - 1 }
    return Svg.rect(size, { class: className, rx: Math.min(3, size.width / 2) })
  }
  const stopped = stop < end
  const room = x(Math.min(end, stop > activationAt ? stop : end)) - x(activationAt) - 10
  const label =
    height < 14 ? undefined : labels(pack, course.terms.recurrence !== null).find((one) => Svg.widthOf(one) < room)
  return Figure.withDetails(
    figure,
    details(course, pack),
    ...lead,
    stop > activationAt ? box(activationAt, Math.min(end, stop), `tl-${name}`) : "",
    stopped ? box(Math.max(stop, activationAt), end, `tl-${name} tl-stopped`) : "",
    label === undefined ? "" : Svg.text(x(activationAt) + 6, y + height / 2 + 4, label, { class: `tl-${name}-ink` })
  )
}

export const part = (figure: Figure.Figure, course: Course): Figure.Part => {
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
        ? Svg.text(figure.scale.x(figure.scale.from), y + below + 11, `and ${hidden} more that overlap with these`, {
            class: "tl-muted"
          })
        : "")
  }
}

/**
 * The legend: the colours and signs that occur in the drawing.
 */
import type { Attachment } from "simplan/ports"
import type * as Figure from "./Figure.ts"
import * as Marks from "./Marks.ts"
import * as States from "./States.ts"
import * as Svg from "./Svg.ts"

interface Item {
  readonly label: string
  readonly draw: (x: number, y: number) => Svg.Markup
}

const swatch = (className: string) => (x: number, y: number) =>
  Svg.rect({ x, y: y - 5, width: 14, height: 10 }, { class: className, rx: 2 })

const stroke = (className: string) => (x: number, y: number) => Svg.line(x, y, x + 14, y, className)

const markNames = {
  step: "step",
  webhook: "webhook",
  bad: "refused or failed"
} as const satisfies Record<Marks.Kind, string>

const order: ReadonlyArray<Attachment.State> = ["CREATED", "PENDING_FOR_FIRST_USE", "ACTIVE", "SUSPENDED", "EXPIRED"]

const items = (figure: Figure.Figure): ReadonlyArray<Item> => {
  const { attachments } = figure.history
  const packages = attachments.flatMap((course) => course.packages)
  const created = packages.filter(({ status }) => status === "Created")
  const ahead = created.filter(({ activationAt, createdAt }) => activationAt === null || createdAt < activationAt)
  const [waiting, leading] = [ahead.some(({ waited }) => waited), ahead.some(({ waited }) => !waited)]
  const isActivated = created.some(({ activationAt }) => activationAt !== null)
  const isUsed = packages.some(({ used }) => used.length > 0)
  const isThrottled = isUsed && attachments.some(({ terms }) => terms.throttling.length > 0)
  const when = (condition: boolean, label: string, draw: Item["draw"]): ReadonlyArray<Item> =>
    condition ? [{ label, draw }] : []
  return [
    ...order
      .filter((state) => attachments.some(({ states }) => states.some((one) => one.state === state)))
      .map((state) => ({ label: state, draw: swatch(`tl-${States.classes[state]}`) })),
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

/** The legend, in rows. */
export const part = (figure: Figure.Figure): Figure.Part => {
  const [left, right] = [figure.scale.x(figure.scale.from), figure.scale.x(figure.scale.to)]
  let [x, row] = [left, 0]
  const placed = items(figure).map((item) => {
    const width = 20 + Svg.widthOf(item.label) + 16
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
          return item.draw(at, middle) + Svg.text(at + 20, middle + 4, item.label, { class: "tl-muted" })
        })
        .join("")
  }
}

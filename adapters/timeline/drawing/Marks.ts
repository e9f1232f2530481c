/**
 * Marks for single events: steps, purchases, webhooks, refusals and failures.
 */
import type { Entry } from "../play/History.ts"
import * as Wording from "../Wording.ts"
import * as Figure from "./Figure.ts"

/** The kinds of mark, in the order of their rows. */
export const kinds = ["step", "purchase", "webhook", "bad"] as const

export type Kind = (typeof kinds)[number]

/** The mark of an entry; null: the entry is drawn otherwise. */
const kindOf = {
  step: "step",
  telco: "step",
  purchase: "purchase",
  webhook: "webhook",
  refused: "bad",
  failure: "bad",
  package: null,
  state: null,
  usage: null
} as const satisfies Record<Entry["kind"], Kind | null>

const ROW = 16

/** Marks closer than this, in pixels, are combined. */
const NEAR = 18

/** The sign of a kind, centred on a point. */
export const sign = (kind: Kind, x: number, y: number): Figure.Markup => {
  switch (kind) {
    case "step":
      return Figure.element("circle", { cx: x, cy: y, r: 3.5, class: "tl-step" })
    case "purchase":
      return Figure.element("path", {
        d: `M${x} ${y - 4.5}L${x + 4.5} ${y}L${x} ${y + 4.5}L${x - 4.5} ${y}Z`,
        class: "tl-package"
      })
    case "webhook":
      return Figure.element("path", {
        d: `M${x - 4.5} ${y + 4}L${x} ${y - 4.5}L${x + 4.5} ${y + 4}Z`,
        class: "tl-webhook"
      })
    case "bad":
      return Figure.element("path", {
        d: `M${x - 3.5} ${y - 3.5}L${x + 3.5} ${y + 3.5}M${x - 3.5} ${y + 3.5}L${x + 3.5} ${y - 3.5}`,
        class: "tl-bad"
      })
  }
}

interface Cluster {
  readonly x: number
  readonly entries: Array<Entry>
}

const clustered = (figure: Figure.Figure, entries: ReadonlyArray<Entry>): ReadonlyArray<Cluster> => {
  const clusters: Array<Cluster> = []
  for (const entry of entries) {
    const x = figure.scale.x(entry.at)
    const last = clusters.at(-1)
    if (last !== undefined && x - last.x < NEAR) last.entries.push(entry)
    else clusters.push({ x, entries: [entry] })
  }
  return clusters
}

/** How many entries the details of a mark show. */
const SHOWN = 6

const details = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...entries.slice(0, SHOWN).map(({ at, what }) => `${Wording.instant(at)}  ${what}`),
  ...(entries.length > SHOWN ? [`and ${entries.length - SHOWN} more`] : [])
]

const row = (figure: Figure.Figure, kind: Kind, clusters: ReadonlyArray<Cluster>, y: number): Figure.Markup =>
  clusters
    .map(({ entries, x }) =>
      Figure.withDetails(
        figure,
        details(entries),
        Figure.rect({ x: x - 7, y: y - 7, width: 14, height: 14 }, { fill: "transparent" }),
        sign(kind, x, y),
        entries.length > 1
          ? Figure.text(x + 7, y + 3.5, String(entries.length), { class: "tl-muted", "font-size": 9 })
          : ""
      )
    )
    .join("")

/** The kinds that occur in the history. */
export const present = ({ history }: Figure.Figure): ReadonlyArray<Kind> =>
  kinds.filter((kind) => history.entries.some((entry) => kindOf[entry.kind] === kind))

export const part = (figure: Figure.Figure): Figure.Part => {
  const rows = present(figure).map((kind) => {
    const entries = figure.history.entries.filter((entry) => kindOf[entry.kind] === kind)
    return { kind, clusters: clustered(figure, entries) }
  })
  return {
    height: rows.length * ROW,
    draw: (y) => rows.map(({ clusters, kind }, index) => row(figure, kind, clusters, y + index * ROW + 8)).join("")
  }
}

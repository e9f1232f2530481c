/**
 * The steps in the form: what it offers, and the list of rows to add, change and remove. A step has fixed fields and at most
 * one that the form edits.
 */
import type { Time } from "simplan"
import { SmdpHistory } from "simplan/ports"
import * as Dom from "./Dom.ts"

type Step = Readonly<Record<string, unknown>>

interface StepKind {
  readonly id: string
  readonly label: string
  readonly fixed: Step
  /** The editable field; null if there is none. */
  readonly field: {
    readonly name: string
    readonly label: string
    readonly type: "number" | "text"
    readonly preset: string
  } | null
}

const plain = (id: string, label: string, fixed: Step = { do: id }): StepKind => ({ id, label, fixed, field: null })

const usage = (name: string, label: string): StepKind => ({
  id: name,
  label,
  fixed: { do: "usage" },
  field: { name, label: "MB", type: "number", preset: "500" }
})

const telco = (fault: string, label: string): StepKind => ({
  id: `telco ${fault}`,
  label,
  fixed: { do: "telco", fault, calls: 1 },
  field: { name: "calls", label: "calls", type: "number", preset: "1" }
})

const kinds: ReadonlyArray<StepKind> = [
  plain("first_use", "first use"),
  usage("total_MBs", "used in all"),
  usage("delta_MBs", "used more"),
  plain("suspend", "suspend"),
  plain("top_up", "top up"),
  plain("delete", "delete the subscription"),
  {
    id: "location",
    label: "location",
    fixed: { do: "location" },
    field: { name: "country_alpha_2", label: "country", type: "text", preset: "FR" }
  },
  ...SmdpHistory.states.map((state) =>
    plain(`smdp_state ${state}`, `SM-DP+ state ${state}`, { do: "smdp_state", state })
  ),
  plain("archive_plan", "archive the plan"),
  plain("unarchive_plan", "restore the plan"),
  plain("delete_plan", "delete the plan"),
  telco("unavailable", "telco out of reach"),
  telco("refuse", "telco refuses"),
  telco("answer lost", "telco's answer lost"),
  telco("slow", "telco too slow"),
  plain("subscribe", "subscribe (instead of at the start)"),
  plain("advance", "nothing")
]

/** A number in the form; undefined if empty. Invalid text becomes NaN, which the scenario's schema refuses. */
export const number = (value: string): unknown => (value.trim() === "" ? undefined : Number(value))

/** The fields of a step of this kind. */
const fields = ({ field, fixed }: StepKind, value: string): Step =>
  field === null ? fixed : { ...fixed, [field.name]: field.type === "number" ? number(value) : value }

/** The kind of a step and its value; undefined if the form does not offer the step. */
const known = (step: Step): readonly [kind: StepKind, value: string] | undefined => {
  for (const kind of kinds) {
    const { field, fixed } = kind
    const value = field === null ? "" : (step[field.name] ?? fixed[field.name])
    const isFixed = Object.keys(fixed).every((name) => name === field?.name || step[name] === fixed[name])
    if (isFixed && value !== undefined) return [kind, String(value)]
  }
  return undefined
}

interface Row {
  readonly element: HTMLLIElement
  readonly read: () => Step
}

/** The fields of a step that its row does not show, such as a note. They are kept while the row has the same kind. */
const hiddenFields = (step: Step, kind: StepKind, value: string): Step => {
  const shown = new Set(["at", ...Object.keys(fields(kind, value))])
  return Object.fromEntries(Object.entries(step).filter(([name]) => !shown.has(name)))
}

const kindOf = (id: string): StepKind | undefined => kinds.find((kind) => kind.id === id)

const make = (step: Step, at: Time.Instant, changed: () => void, remove: (row: Row) => void): Row | undefined => {
  const found = known(step)
  if (found === undefined) return undefined
  const [first, given] = found
  const kind = Dom.make("select", { class: "kind", "aria-label": "What happens", "data-part": "do" })
  kind.append(...kinds.map(({ id, label }) => Dom.make("option", { value: id }, label)))
  kind.value = first.id
  const value = Dom.make("input", { class: "value", "data-part": "value" })
  const when = Dom.make("input", { type: "datetime-local", class: "at", "aria-label": "When, UTC", "data-part": "at" })
  when.value = Dom.toPicker(at)
  const button = Dom.make("button", { type: "button", "aria-label": "Remove this step" }, "×")
  const element = Dom.make("li", {}, when, kind, value, button)

  const show = (text: string | null) => {
    const wanted = kindOf(kind.value)?.field ?? null
    value.hidden = wanted === null
    if (wanted === null) return
    value.type = wanted.type
    value.setAttribute("aria-label", wanted.label)
    value.placeholder = wanted.label
    value.value = text ?? wanted.preset
  }
  show(given)
  kind.addEventListener("change", () => show(null))

  const extras = hiddenFields(step, first, given)
  const row: Row = {
    element,
    read: () => {
      const chosen = kindOf(kind.value) ?? first
      const shown = fields(chosen, value.value)
      return { at: Dom.fromPicker(when.value), ...shown, ...(chosen === first ? extras : {}) }
    }
  }
  button.addEventListener("click", () => {
    remove(row)
    changed()
  })
  return row
}

/** The rows of a list element. `changed` is called when a row is removed. */
export const of = (list: HTMLElement, changed: () => void) => {
  let rows: ReadonlyArray<Row> = []
  const remove = (row: Row) => {
    const next = row.element.nextElementSibling ?? row.element.previousElementSibling
    rows = rows.filter((one) => one !== row)
    row.element.remove()
    const focus = next === null ? document.querySelector("#add") : next.querySelector("button")
    if (focus instanceof HTMLElement) focus.focus()
  }
  const add = (step: Step, at: Time.Instant): HTMLElement | undefined => {
    const row = make(step, at, changed, remove)
    if (row === undefined) return undefined
    rows = [...rows, row]
    list.append(row.element)
    return row.element
  }
  return {
    add,
    set: (steps: ReadonlyArray<{ readonly step: Step; readonly at: Time.Instant }>): void => {
      rows = []
      list.replaceChildren()
      for (const { at, step } of steps) add(step, at)
    },
    read: (): ReadonlyArray<Step> => rows.map((row) => row.read()),
    /** The control of a field of a step. */
    control: (index: number, field: string): HTMLElement | null => {
      const row = rows[index]?.element
      const part = field === "at" || field === "do" ? field : "value"
      return row?.querySelector<HTMLElement>(`[data-part="${part}"]:not([hidden])`) ?? null
    }
  }
}

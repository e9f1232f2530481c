/**
 * The list of steps in the form: rows to add, change and remove.
 */
import type { Time } from "simplan"
import * as Dates from "./Dates.ts"
import * as Dom from "./Dom.ts"
import * as StepKinds from "./StepKinds.ts"

type Step = Readonly<Record<string, unknown>>

interface Row {
  readonly element: HTMLLIElement
  readonly read: () => Step
}

/** The fields of a step that its row does not show, such as a note. They are kept while the row has the same kind. */
const hiddenFields = (step: Step, kind: StepKinds.StepKind, value: string): Step => {
  const shown = new Set(["at", ...Object.keys(StepKinds.fields(kind, value))])
  return Object.fromEntries(Object.entries(step).filter(([name]) => !shown.has(name)))
}

const kindOf = (id: string): StepKinds.StepKind | undefined => StepKinds.all.find((kind) => kind.id === id)

const make = (step: Step, at: Time.Instant, changed: () => void, remove: (row: Row) => void): Row | undefined => {
  const known = StepKinds.of(step)
  if (known === undefined) return undefined
  const [first, given] = known
  const kind = Dom.make("select", { class: "kind", "aria-label": "What happens", "data-part": "do" })
  kind.append(...StepKinds.all.map(({ id, label }) => Dom.make("option", { value: id }, label)))
  kind.value = first.id
  const value = Dom.make("input", { class: "value", "data-part": "value" })
  const when = Dom.make("input", { type: "datetime-local", class: "at", "aria-label": "When, UTC", "data-part": "at" })
  when.value = Dates.toPicker(at)
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
      const fields = StepKinds.fields(chosen, value.value)
      return { at: Dates.fromPicker(when.value), ...fields, ...(chosen === first ? extras : {}) }
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

export type StepRows = ReturnType<typeof of>

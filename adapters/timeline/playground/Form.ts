/**
 * Converts a scenario to the fields of the form and back. Fields that the form does not show are
 * kept. The steps are a list of rows to add, change and remove. A step has fixed fields and at most
 * one that the form edits.
 */
import { Time } from "simplan"
import { Plan, SmdpHistory } from "simplan/ports"
import { Scenario } from "../index.ts"
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
  telco("allocating", "supplier still allocates"),
  telco("sold_out", "supplier sold out"),
  telco("no_balance", "no balance at the supplier"),
  plain("subscribe", "subscribe (instead of at the start)"),
  plain("advance", "nothing")
]

/**
 * A number in the form; undefined if empty. Invalid text becomes NaN, which the scenario's schema
 * refuses.
 */
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

/**
 * The fields of a step that its row does not show, such as a note. They are kept while the row has
 * the same kind.
 */
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
export const stepsOf = (list: HTMLElement, changed: () => void) => {
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

const { DAY, HOUR, MINUTE } = Time

/** Buttons for starts near the boundaries of the rules, relative to the subscription request. */
const starts: ReadonlyArray<readonly [label: string, offset: number]> = [
  ["24 h ago", -DAY],
  ["now", 0],
  ["in 12 h", 12 * HOUR],
  ["in 12 h 1 min", 12 * HOUR + MINUTE],
  ["in 3 days", 3 * DAY]
]

const throttlingPresets = ["50", "80", "100"] as const
const speedPresets = ["5120", "1024", "128"] as const

const numbers = ["data_MBs", "period_days", "nb_occurrence", "recurring_periodicity_frequency"] as const
const recurrence = ["nb_occurrence", "recurring_periodicity_frequency", "recurring_periodicity_type"] as const

const thresholdFields = (container: HTMLElement) => {
  for (const [index, percentage] of throttlingPresets.entries()) {
    const name = `plan.throttling_threshold${index + 1}`
    const perc = Dom.make("input", { type: "number", name: `${name}_perc`, min: "1", max: "100", inputmode: "numeric" })
    perc.value = percentage
    const limit = Dom.make("select", { name: `${name}_limit` })
    limit.append(...Plan.throttlingLimits.map((one) => Dom.make("option", { value: one }, `${one} Kbit/s`)))
    limit.value = speedPresets[index] ?? "128"
    container.append(
      Dom.make(
        "div",
        { class: "pair" },
        Dom.make("label", { class: "field" }, `From, %`, perc),
        Dom.make("label", { class: "field" }, "held at", limit)
      )
    )
  }
}

/** The form of the page. `changed` is called at each change. */
export const of = (form: HTMLFormElement, changed: () => void) => {
  thresholdFields(Dom.find("#throttling", HTMLElement, form))
  const rows = stepsOf(Dom.find("#steps", HTMLElement, form), changed)
  let base: Readonly<Record<string, unknown>> = {}

  const control = (name: string): HTMLInputElement | HTMLSelectElement | null => {
    const found = form.elements.namedItem(name)
    return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : null
  }
  const value = (name: string): string => control(name)?.value ?? ""
  const set = (name: string, text: string): void => {
    const found = control(name)
    if (found !== null) found.value = text
  }
  const box = (name: string): HTMLInputElement => Dom.find(`[name="${name}"]`, HTMLInputElement, form)
  const radio = (value: string): HTMLInputElement =>
    Dom.find(`[name="period"][value="${value}"]`, HTMLInputElement, form)
  const isGiven = (): boolean => radio("given").checked

  /** Shows only the fields that the choices need. */
  const arrange = (): void => {
    Dom.find("#recurrence", HTMLElement, form).hidden = !box("plan.recurring").checked
    Dom.find("#throttling", HTMLElement, form).hidden = !box("plan.throttling").checked
    Dom.find("#period", HTMLElement, form).hidden = !isGiven()
  }

  const offset = (name: string, millis: number): void => {
    const now = Dom.instantOf(value("start"))
    if (now !== undefined) set(name, Dom.toPicker(now + millis))
  }
  const chips = Dom.find("#starts", HTMLElement, form)
  for (const [label, millis] of starts) {
    const chip = Dom.make("button", { type: "button", "aria-label": `Start ${label}` }, label)
    chip.addEventListener("click", () => {
      offset("subscription.active_period.start", millis)
      changed()
    })
    chips.append(chip)
  }

  const planFields = (): Readonly<Record<string, unknown>> => {
    const recurring = box("plan.recurring").checked
    const throttling = box("plan.throttling").checked
    const text = (name: string) => [name, value(`plan.${name}`)] as const
    const asNumber = (name: string) => [name, number(value(`plan.${name}`))] as const
    const thresholds = [1, 2, 3].flatMap((index) => [
      asNumber(`throttling_threshold${index}_perc`),
      text(`throttling_threshold${index}_limit`)
    ])
    return Object.fromEntries([
      ...numbers.slice(0, 2).map(asNumber),
      ["recurring", recurring],
      ...(recurring ? [...numbers.slice(2).map(asNumber), text("recurring_periodicity_type")] : []),
      ["throttling", throttling],
      ...(throttling ? thresholds : [])
    ])
  }

  const activePeriod = () => {
    const start = Dom.fromPicker(value("subscription.active_period.start"))
    const end = Dom.fromPicker(value("subscription.active_period.end"))
    return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
  }

  form.addEventListener("input", () => {
    if (isGiven() && value("subscription.active_period.start") === "") {
      offset("subscription.active_period.start", DAY)
      offset("subscription.active_period.end", 8 * DAY)
    }
    arrange()
    changed()
  })
  form.addEventListener("submit", (event) => event.preventDefault())
  Dom.find("#add", HTMLButtonElement, form).addEventListener("click", () => {
    const last = Dom.instantOf(String(rows.read().at(-1)?.["at"] ?? "").slice(0, 16))
    const at = Math.max(last ?? 0, Dom.instantOf(value("start")) ?? 0) + DAY
    rows.add({ do: "usage", total_MBs: 500 }, at)?.querySelector("input")?.focus()
    changed()
  })

  return {
    /** Fills the form with a scenario. */
    write: ({ end, source, start, steps }: Scenario.Playable): void => {
      base = { ...source }
      const { bundle, plan, subscription } = source
      const period = subscription?.active_period ?? null
      const instant = (moment: string | null | undefined) =>
        moment === null || moment === undefined ? "" : Dom.toPicker(Scenario.instantOf(moment, start))
      set("start", Dom.toPicker(start))
      set("end", end === null ? "" : Dom.toPicker(end))
      set("bundle.load", bundle?.load ?? "")
      box("plan.recurring").checked = plan.recurring ?? false
      box("plan.throttling").checked = plan.throttling ?? false
      const presets = { nb_occurrence: 4, recurring_periodicity_frequency: 1, recurring_periodicity_type: "1" }
      for (const name of recurrence) set(`plan.${name}`, String(plan[name] ?? presets[name]))
      for (const name of ["data_MBs", "period_days"] as const) set(`plan.${name}`, String(plan[name]))
      const thresholds = Object.entries(plan).filter(([name]) => name.startsWith("throttling_threshold"))
      for (const [name, given] of thresholds) set(`plan.${name}`, String(given))
      radio(period === null ? "first-use" : "given").checked = true
      set("subscription.active_period.start", instant(period?.start))
      set("subscription.active_period.end", instant(period?.end))
      rows.set(steps.flatMap(({ at, index, step }) => (index === null ? [] : [{ at, step: { ...step } }])))
      arrange()
    },
    /** The scenario in the form, which may be invalid. */
    read: (): Readonly<Record<string, unknown>> => {
      const { plan, subscription } = base
      const kept = (part: unknown) => (typeof part === "object" && part !== null ? part : {})
      const until = Dom.fromPicker(value("end"))
      const { bundle: _, end: __, ...rest } = base
      const load = value("bundle.load")
      return {
        ...rest,
        start: Dom.fromPicker(value("start")),
        ...(until === undefined ? {} : { end: until }),
        plan: { ...withoutTerms(kept(plan)), ...planFields() },
        ...(load === "" ? {} : { bundle: { load } }),
        subscription: { ...kept(subscription), active_period: isGiven() ? activePeriod() : null },
        steps: rows.read()
      }
    },
    /** The control of a field of the scenario. */
    control: (path: ReadonlyArray<PropertyKey>): HTMLElement | null => {
      const [first, index, field] = path
      if (first === "steps" && typeof index === "number") return rows.control(index, String(field ?? "value"))
      return control(path.map(String).join("."))
    }
  }
}

const shown = /^(data_MBs|period_days|recurring|nb_occurrence|recurring_|throttling)/

/** The fields of a plan that the form does not show. */
const withoutTerms = (plan: object): object =>
  Object.fromEntries(Object.entries(plan).filter(([name]) => !shown.test(name)))

export type Form = ReturnType<typeof of>

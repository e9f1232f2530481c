/**
 * The steps that the form offers. A step has fixed fields and at most one that the form edits.
 */
import { SmdpHistory } from "simplan/ports"

type Fields = Readonly<Record<string, unknown>>

export interface StepKind {
  readonly id: string
  readonly label: string
  readonly fixed: Fields
  /** The editable field; null if there is none. */
  readonly field: {
    readonly name: string
    readonly label: string
    readonly type: "number" | "text"
    readonly preset: string
  } | null
}

const plain = (id: string, label: string, fixed: Fields = { do: id }): StepKind => ({ id, label, fixed, field: null })

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

export const all: ReadonlyArray<StepKind> = [
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
export const fields = ({ field, fixed }: StepKind, value: string): Fields =>
  field === null ? fixed : { ...fixed, [field.name]: field.type === "number" ? number(value) : value }

/** The kind of a step and its value; undefined if the form does not offer the step. */
export const of = (step: Fields): readonly [kind: StepKind, value: string] | undefined => {
  for (const kind of all) {
    const { field, fixed } = kind
    const value = field === null ? "" : (step[field.name] ?? fixed[field.name])
    const isFixed = Object.keys(fixed).every((name) => name === field?.name || step[name] === fixed[name])
    if (isFixed && value !== undefined) return [kind, String(value)]
  }
  return undefined
}

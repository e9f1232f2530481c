/**
 * The steps that the form offers, each with at most one value.
 */
import { SmdpHistory } from "simplan"

type Fields = Readonly<Record<string, unknown>>

export interface StepKind {
  readonly id: string
  readonly label: string
  /** What the value is; null where there is none. */
  readonly value: { readonly label: string; readonly type: "number" | "text"; readonly preset: string } | null
  readonly fields: (value: string) => Fields
  /** The value of a step that is of this kind; undefined where it is not. */
  readonly valueOf: (step: Fields) => string | undefined
}

const plain = (id: string, label: string): StepKind => ({
  id,
  label,
  value: null,
  fields: () => ({ do: id }),
  valueOf: (step) => (step["do"] === id ? "" : undefined)
})

/** A number as the form has it; what is no number stays as it is, and is told as such. */
export const number = (value: string): unknown => (value.trim() === "" ? undefined : Number(value))

const usage = (field: string, label: string): StepKind => ({
  id: field,
  label,
  value: { label: "MB", type: "number", preset: "500" },
  fields: (value) => ({ do: "usage", [field]: number(value) }),
  valueOf: (step) => (step["do"] === "usage" && step[field] !== undefined ? String(step[field]) : undefined)
})

const telco = (fault: string, label: string): StepKind => ({
  id: `telco ${fault}`,
  label,
  value: { label: "calls", type: "number", preset: "1" },
  fields: (value) => ({ do: "telco", fault, calls: number(value) }),
  valueOf: (step) => (step["do"] === "telco" && step["fault"] === fault ? String(step["calls"] ?? 1) : undefined)
})

const smdp = (state: SmdpHistory.State): StepKind => ({
  id: `smdp_state ${state}`,
  label: `SM-DP+ state ${state}`,
  value: null,
  fields: () => ({ do: "smdp_state", state }),
  valueOf: (step) => (step["do"] === "smdp_state" && step["state"] === state ? "" : undefined)
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
    value: { label: "country", type: "text", preset: "FR" },
    fields: (value) => ({ do: "location", country_alpha_2: value }),
    valueOf: (step) => (step["do"] === "location" ? String(step["country_alpha_2"]) : undefined)
  },
  ...SmdpHistory.states.map(smdp),
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

/** The kind of a step and its value. */
export const of = (step: Fields): readonly [kind: StepKind, value: string] | undefined => {
  for (const kind of all) {
    const value = kind.valueOf(step)
    if (value !== undefined) return [kind, value]
  }
  return undefined
}

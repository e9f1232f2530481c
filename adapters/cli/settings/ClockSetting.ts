/**
 * The setting of the business clock: `system`, or `virtual[:<ISO instant>]` for one that stands still until advanced.
 */
import { Time } from "simplan"

export type ClockSetting =
  | { readonly _tag: "System" }
  /** `from` null: where the clock stood, and on the first start the machine's time. */
  | { readonly _tag: "Virtual"; readonly from: Time.Instant | null }

export const allowed = "system, virtual, or virtual:<instant> such as virtual:2026-01-31T00:00:00Z"

/** Reads the setting; undefined for anything else. */
export const parse = (text: string): ClockSetting | undefined => {
  if (text === "system") return { _tag: "System" }
  if (text === "virtual") return { _tag: "Virtual", from: null }
  if (!text.startsWith("virtual:")) return undefined
  const from = Time.fromIso(text.slice("virtual:".length))
  return from === undefined ? undefined : { _tag: "Virtual", from }
}

/** Where a virtual clock starts: never before the instant at which it stood. */
export const start = (
  setting: { readonly from: Time.Instant | null },
  stood: Time.Instant | null,
  machineNow: Time.Instant
): Time.Instant => {
  if (stood === null) return setting.from ?? machineNow
  return Math.max(stood, setting.from ?? stood)
}

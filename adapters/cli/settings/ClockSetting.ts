/**
 * The setting of the business clock: `system`, or `virtual[:<ISO instant>]` for a clock that moves only when advanced.
 */
import { Time } from "simplan"

export type ClockSetting =
  | { readonly _tag: "System" }
  /** `from` null: the clock continues at its stored time; on the first start, at the machine's time. */
  | { readonly _tag: "Virtual"; readonly from: Time.Instant | null }

export const allowed = "system, virtual, or virtual:<instant> such as virtual:2026-01-31T00:00:00Z"

/** Reads the setting; undefined for any other text. */
export const parse = (text: string): ClockSetting | undefined => {
  if (text === "system") return { _tag: "System" }
  if (text === "virtual") return { _tag: "Virtual", from: null }
  if (!text.startsWith("virtual:")) return undefined
  const from = Time.fromIso(text.slice("virtual:".length))
  return from === undefined ? undefined : { _tag: "Virtual", from }
}

/** Where a virtual clock starts. It never goes back behind its stored time, null on the first start. */
export const start = (
  { from }: { readonly from: Time.Instant | null },
  stored: Time.Instant | null,
  machineNow: Time.Instant
): Time.Instant => (stored === null ? (from ?? machineNow) : Math.max(stored, from ?? stored))

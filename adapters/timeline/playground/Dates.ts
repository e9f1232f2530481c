/**
 * Instants in date-time pickers, which know no zone: here they are UTC.
 */
import { Time } from "simplan"

/** What a picker shows of an instant. */
export const toPicker = (at: Time.Instant): string => Time.toIso(at).slice(0, 16)

/** The instant text of a picker's value; undefined where it is empty. */
export const fromPicker = (value: string): string | undefined => {
  if (value === "") return undefined
  return value.length === 16 ? `${value}:00Z` : `${value}Z`
}

/** The instant of a picker's value; undefined where there is none. */
export const instantOf = (value: string): Time.Instant | undefined => {
  const text = fromPicker(value)
  return text === undefined ? undefined : Time.fromIso(text)
}

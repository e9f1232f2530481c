/**
 * Instants that may be missing, on their way out and in.
 */
import { Time } from "simplan"

/** An instant as the wire has it; null where there is none. */
export const toWire = (instant: Time.Instant | null): string | null => (instant === null ? null : Time.toIso(instant))

/** What a request says of an instant, once its schema has taken it. */
export const fromWire = (text: string | null | undefined): Time.Instant | null =>
  text === null || text === undefined ? null : (Time.fromIso(text) ?? null)

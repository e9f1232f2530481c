/**
 * What a simulated service logs with a cause: a job or a delivery that broke. None of that is ever to happen, and a
 * history says where it did. Other messages are left out: a telco that fails on purpose makes many.
 */
import { Cause, Logger } from "effect"

export interface Mishaps {
  readonly messages: ReadonlyArray<string>
  readonly loggers: ReadonlySet<Logger.Logger<unknown, void>>
}

const text = (message: unknown): string =>
  Array.isArray(message) ? message.map(text).join(" ") : typeof message === "string" ? message : JSON.stringify(message)

/** A log that is empty yet. */
export const make = (): Mishaps => {
  const messages: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, message }) => {
    if (cause.reasons.length > 0) messages.push(`${text(message)}: ${String(Cause.squash(cause))}`)
  })
  return { messages, loggers: new Set([logger]) }
}

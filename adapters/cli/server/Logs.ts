/**
 * Logs on stderr: readable lines on a terminal, JSON lines elsewhere. Secrets are removed from every line.
 */
import { Effect, Layer, Logger } from "effect"
import * as Secrets from "../settings/Secrets.ts"

const write = (line: string): void => void process.stderr.write(`${Secrets.redact(line)}\n`)

const time = (date: Date): string => date.toTimeString().slice(0, 8)

const forPeople = Logger.map(Logger.formatStructured, (entry) => {
  const message = Array.isArray(entry.message) ? entry.message.map(show).join(" ") : show(entry.message)
  const details = Object.entries(entry.annotations).map(([name, value]) => ` ${name}=${show(value)}`)
  const cause = entry.cause === undefined ? "" : `\n${entry.cause}`
  write(`${time(new Date(entry.timestamp))} ${entry.level.padEnd(5)} ${message}${details.join("")}${cause}`)
})

// Control characters from outside must not reach the terminal.
const show = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(/\p{Cc}/gu, " ")

const forMachines = Logger.map(Logger.formatJson, write)

/** The logger for stderr. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.sync(() => Logger.layer([process.stderr.isTTY === true ? forPeople : forMachines]))
)

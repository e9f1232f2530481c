/**
 * Logs go to stderr: for people on a terminal, as JSON lines otherwise. Secrets are blotted out of every line, whoever
 * wrote it.
 */
import { Effect, Layer, Logger } from "effect"
import * as Secrets from "../settings/Secrets.ts"

const write = (line: string): void => void process.stderr.write(`${Secrets.without(line)}\n`)

const time = (date: Date): string => date.toTimeString().slice(0, 8)

const forPeople = Logger.map(Logger.formatStructured, (entry) => {
  const message = Array.isArray(entry.message) ? entry.message.map(show).join(" ") : show(entry.message)
  const details = Object.entries(entry.annotations).map(([name, value]) => ` ${name}=${show(value)}`)
  const cause = entry.cause === undefined ? "" : `\n${entry.cause}`
  write(`${time(new Date(entry.timestamp))} ${entry.level.padEnd(5)} ${message}${details.join("")}${cause}`)
})

// What comes from outside must not steer the terminal.
const show = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(/\p{Cc}/gu, " ")

const forMachines = Logger.map(Logger.formatJson, write)

/** The logger for whoever reads stderr. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.sync(() => Logger.layer([process.stderr.isTTY === true ? forPeople : forMachines]))
)

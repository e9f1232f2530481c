/**
 * Logs go to stderr: for people on a terminal, as JSON lines otherwise. What looks like a key, a token or a password
 * is blotted out of every line, whoever wrote it.
 */
import { Effect, Layer, Logger } from "effect"

const secrets: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/simplan_[0-9A-Za-z]{40,}/g, "simplan_***"],
  [/whsec_[0-9A-Za-z+/=]{20,}/g, "whsec_***"],
  [/([?&]key=)[^&\s"'\\]+/g, "$1***"],
  [/\b(Bearer\s+)[^\s"'\\]+/gi, "$1***"],
  [/\b(postgres(?:ql)?:\/\/[^:/@\s"]*):[^\s"]*@/g, "$1:***@"]
]

/** The line without its secrets. */
export const withoutSecrets = (line: string): string =>
  secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)

const write = (line: string): void => void process.stderr.write(`${withoutSecrets(line)}\n`)

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

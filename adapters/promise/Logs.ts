/**
 * Logs, into the host's logger. Nothing is ever written to stdout.
 */
import { Cause, Layer, Logger, References } from "effect"
import type { Logger as HostLogger } from "./Options.ts"

type Level = "debug" | "info" | "warn" | "error"

/** Writes one line. */
export type Write = (level: Level, message: string, details: Readonly<Record<string, unknown>>) => void

const levels: Readonly<Partial<Record<string, Level>>> = { Warn: "warn", Error: "error", Fatal: "error", Info: "info" }

// A logger of pino takes the details first.
const isPino = (logger: object): boolean => "bindings" in logger && typeof logger.bindings === "function"

const toHost =
  (logger: HostLogger): Write =>
  (level, message, details) => {
    const line: ReadonlyArray<unknown> = isPino(logger)
      ? [details, message]
      : Object.keys(details).length === 0
        ? [message]
        : [message, details]
    // A logger that fails must not fail what is logged.
    try {
      const written: unknown = Reflect.apply(logger[level], logger, line)
      Promise.resolve(written).catch(() => undefined)
    } catch {}
  }

const toStderr: Write = (level, message, details) => {
  if (level === "error") console.error(`simplan: ${message}`, ...Object.values(details))
}

/** How lines are written: by the host's logger, or not at all; by default errors go to stderr. */
export const make = (logger: HostLogger | false | undefined): Write => {
  if (logger === false) return () => undefined
  return logger === undefined ? toStderr : toHost(logger)
}

/**
 * Says what a host has to know from its start on: as a warning of its logger, or on stderr if it
 * has given none.
 */
export const warning =
  (logger: HostLogger | false | undefined) =>
  (message: string): void =>
    logger === undefined ? console.error(`simplan: ${message}`) : make(logger)("warn", message, {})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parts = (message: unknown): ReadonlyArray<unknown> => (Array.isArray(message) ? message : [message])

/**
 * The loggers of all fibers. Unless `isAll`, only errors are logged, and warnings that work will
 * stop by how the host uses the service, which have a
 * level of their own, and are written as errors.
 */
export const layer = (write: Write, isAll: boolean): Layer.Layer<never> =>
  Layer.merge(
    Logger.layer([
      Logger.make(({ cause, fiber, logLevel, message }) => {
        const said = parts(message)
        const details = Object.assign(
          {},
          fiber.getRef(References.CurrentLogAnnotations),
          ...said.filter(isRecord),
          cause.reasons.length === 0 ? {} : { err: Cause.squash(cause) }
        )
        const text = said.filter((part) => !isRecord(part)).join(" ")
        write(isAll ? (levels[logLevel] ?? "debug") : "error", text, details)
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, isAll ? "Debug" : "Error")
  )

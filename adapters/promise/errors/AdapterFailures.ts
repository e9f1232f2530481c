/**
 * What functions of the host's adapters throw that they should not. The engine takes it for an unknown outcome, as when
 * the telco is unavailable. The call that waits for the outcome gets the error itself.
 */
import { Context } from "effect"
import * as Errors from "./Errors.ts"
import * as Failures from "./Failures.ts"

/** Of one call. */
export interface AdapterFailures {
  readonly add: (operation: string, error: unknown, isConnection: boolean) => void
  /** The error to reject with in place of one that says only that the telco is unavailable. */
  readonly instead: (error: unknown) => Errors.SimplanError | undefined
}

/** Those of the call that the fiber serves; null in the background. */
export const Current = Context.Reference<AdapterFailures | null>("simplan/promise/AdapterFailures", {
  defaultValue: () => null
})

export const make = (): AdapterFailures => {
  let last: { readonly operation: string; readonly error: unknown; readonly isConnection: boolean } | undefined
  return {
    add: (operation, error, isConnection) => {
      last = { operation, error, isConnection }
    },
    instead: (error) => {
      if (last === undefined || !(error instanceof Errors.TelcoUnavailableError)) return undefined
      const { code, message, requestId, retryAfterSeconds, status } = error
      return last.isConnection
        ? new Errors.TelcoUnavailableError({ code, status, message, requestId, retryAfterSeconds, cause: last.error })
        : Failures.ofDefect(last.error, `The function ${last.operation} of the host failed`, requestId)
    }
  }
}

const CONNECTION = /^(?:ECONN|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_|ERR_TLS_)/

/** Whether an error, or one that it comes of, is like this. */
const isSome = (error: unknown, is: (one: Error, code: string) => boolean): boolean => {
  let one = error
  for (let depth = 0; depth < 4 && one instanceof Error; depth++) {
    if (is(one, "code" in one && typeof one.code === "string" ? one.code : "")) return true
    one = one instanceof AggregateError ? one.errors[0] : one.cause
  }
  return false
}

/** Whether an error says that a connection failed, as those of `fetch` and of Node's sockets do. */
export const isConnection = (error: unknown): boolean =>
  isSome(error, ({ name }, code) => CONNECTION.test(code) || name === "AbortError" || name === "TimeoutError")

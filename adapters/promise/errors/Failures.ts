/**
 * The errors of what fails: of use cases, of the storage, and of functions of the host. The code
 * and status of each refusal are those of the HTTP API (rule W1).
 */
import { Cause, Context } from "effect"
import { Refusal } from "simplan"
import { Storage } from "simplan/ports"
import { types } from "node:util"
import { Codes } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Errors from "./Errors.ts"
import { classes } from "./printed/RefusalClasses.ts"

/** A call, as its errors name it. */
export interface Call {
  /** Such as `plans.create`. */
  readonly method: string
  /** What the host sent; a message shows the value of a field that is wrong. */
  readonly request: unknown
  /** The id that the host has given the request. */
  readonly requestId?: string | undefined
  /** The host's names of fields that the domain names otherwise. */
  readonly fields?: Readonly<Record<string, string>> | undefined
  /** Where the host has made the call. */
  readonly site?: { readonly stack?: string } | undefined
}

/** The error with the stack of the call that it ends, in place of where it was made. */
export const at = <A>(error: A, { site }: Call): A => {
  const frames = site?.stack?.slice(site.stack.indexOf("\n"))
  if (frames !== undefined && error instanceof Errors.SimplanError) {
    error.stack = `${error.name}: ${error.message}${frames}`
  }
  return error
}

/** A code of the HTTP API with its status. */
const coded = (code: Errors.ErrorCode & Codes.Code) => ({ code, status: Codes.status(code) })

const classOf: {
  readonly [Tag in Refusal.Plain["_tag"]]: new (
    details: Errors.ErrorDetails & Refusal.Plain<Tag>
  ) => Errors.SimplanError
} = classes

const make = <Tag extends Refusal.Plain["_tag"]>(refusal: Refusal.Plain<Tag>, details: Errors.ErrorDetails) =>
  new classOf[refusal._tag](Object.assign({}, refusal, details))

/** The error of a refusal, with its fields. */
export const ofRefusal = (
  refusal: Refusal.Plain,
  { fields, method, request, requestId }: Call
): Errors.SimplanError => {
  const nameOf = (field: string) => fields?.[field] ?? field
  if (refusal._tag === "InvalidField") {
    return Arguments.invalidIn(method, request, nameOf(refusal.field), Refusal.requirement(refusal, nameOf))
  }
  const [message, field] = [Refusal.sentence(refusal, nameOf), Refusal.field(refusal)]
  return make(refusal, { ...coded(Refusal.code(refusal)), message, requestId, field })
}

/** The error if the storage failed, or the host's transaction. */
export const ofStorage = (error: Storage.StorageError, requestId?: string): Errors.SimplanError => {
  const message = error.message === "" ? "The database cannot be used" : error.message
  const details = { message, cause: error.cause ?? error, requestId }
  const { transaction } = error
  if (transaction === undefined) {
    return new Errors.StorageUnavailableError({ ...details, ...coded("storage_unavailable") })
  }
  const { is, sqlState } = transaction
  if (is === "in conflict" && sqlState !== null) {
    return new Errors.TransactionConflictError({ ...details, code: "transaction_conflict", status: 409, sqlState })
  }
  const retryable = is === "timed out"
  return new Errors.TransactionError({ ...details, code: "transaction_unusable", status: 409, sqlState, retryable })
}

/** Whether it is an error, of whatever realm. A `DOMException` is one too. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error ||
  types.isNativeError(value) ||
  Object.prototype.toString.call(value) === "[object DOMException]"

/** The error if something broke that no class is for. `broken` begins its message. */
export const ofDefect = (defect: unknown, broken: string, requestId?: string): Errors.SimplanError => {
  const what = isError(defect) ? `${defect.name}: ${defect.message}` : Arguments.shown(defect)
  return new Errors.SimplanError({
    ...coded("internal_error"),
    message: `${broken}: ${what}`,
    cause: defect,
    requestId
  })
}

// A refusal that is replayed is plain data.
const isPlain = (error: unknown): error is Refusal.Plain =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  Object.hasOwn(Refusal, error._tag)

/**
 * What something of the host's threw that a call reads, such as the rows of an import. The call
 * rejects with the same.
 */
export class HostError {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** The error of whatever ended a call. */
export const ofCause = (cause: Cause.Cause<unknown>, call: Call): unknown => {
  const error = Cause.squash(cause)
  if (error instanceof HostError) return error.error
  if (error instanceof Errors.SimplanError) return error
  if (error instanceof Storage.StorageError) return ofStorage(error, call.requestId)
  return isPlain(error) ? ofRefusal(error, call) : ofDefect(error, `${call.method} failed`, call.requestId)
}

// What the storages call the argument that a host gives as `database`.
const DATABASE = /^(?:url|pool|dataDir)(?= )/

const DIRECT_URL = "directUrl"

/**
 * The error of a start that has failed. The argument that names the database is called as the host
 * calls it.
 */
export const ofStart = (cause: Cause.Cause<unknown>): unknown => {
  const error = ofCause(cause, { method: "createSimplan", request: undefined })
  if (!(error instanceof Errors.StorageUnavailableError)) return error
  const said = error.message.replace(DATABASE, "database").replace(/^client(?= )/, "database.client")
  const field = said.startsWith(`${DIRECT_URL} `) ? DIRECT_URL : "database"
  if (said === error.message && field === "database") return error
  const message = `createSimplan: ${said}`
  return said.includes(", but must be ")
    ? new Errors.InvalidFieldError({
        ...coded("invalid_field"),
        field,
        message,
        cause: error.cause
      })
    : new Errors.StorageUnavailableError({ code: error.code, status: error.status, message, cause: error.cause })
}

/**
 * The error of a call that its signal has ended: named `AbortError`, with the signal's reason as
 * its cause.
 */
export const aborted = (signal: AbortSignal, method: string): Error => {
  const { reason } = signal
  if (isError(reason) && reason.name === "AbortError") return reason
  return Object.assign(new DOMException(`${method} was aborted`, "AbortError"), { cause: reason })
}

/**
 * What functions of the host's adapters throw in one call that they should not. The engine takes it
 * for an unknown outcome, as when the telco is unavailable. The call that waits for the outcome
 * gets the error itself.
 */
export interface OfAdapters {
  readonly add: (operation: string, error: unknown, isConnection: boolean) => void
  /** The error to reject with in place of one that says only that the telco is unavailable. */
  readonly instead: (error: unknown) => Errors.SimplanError | undefined
}

/** Those of the call that the fiber serves; null in the background. */
export const CurrentOfAdapters = Context.Reference<OfAdapters | null>("simplan/promise/OfAdapters", {
  defaultValue: () => null
})

/** None so far. */
export const makeOfAdapters = (): OfAdapters => {
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
        : ofDefect(last.error, `The function ${last.operation} of the host failed`, requestId)
    }
  }
}

const CONNECTION = /^(?:ECONN|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_|ERR_TLS_)/

/** Whether an error, or one that it comes of, is like this. */
const isSome = (error: unknown, is: (one: Error, code: string) => boolean): boolean => {
  let present = error
  for (let depth = 0; depth < 4 && isError(present); depth++) {
    if (is(present, "code" in present && typeof present.code === "string" ? present.code : "")) return true
    present = "errors" in present && Array.isArray(present.errors) ? present.errors[0] : present.cause
  }
  return false
}

/** Whether an error says that a connection failed, as those of `fetch` and of Node's sockets do. */
export const isConnection = (error: unknown): boolean =>
  isSome(error, ({ name }, code) => CONNECTION.test(code) || name === "AbortError" || name === "TimeoutError")

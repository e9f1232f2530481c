/**
 * One SMPP session over one connection of the npm package `smpp`: requests and their responses, and
 * the requests of the SMSC. A request that was written and has no response in time, or whose
 * connection is cut, has an unknown outcome.
 *
 * What is used of the package is typed here, as it has no types of its own: hosts can check the
 * types of this adapter without it.
 */
/// <reference path="./smpp.d.ts" />
import type { EventEmitter } from "node:events"
import type { Server, Socket } from "node:net"
import { Data, Deferred, Effect, type Scope } from "effect"
import { CallFailure } from "../telco-calls/index.ts"

/** A request or a response. */
export interface PDU {
  readonly command: string
  readonly command_id: number
  readonly command_status: number
  readonly sequence_number: number
  /** The fields of the command, and its optional parameters. */
  readonly [field: string]: unknown
  isResponse(): boolean
  /** The response to this request. */
  response(fields?: Readonly<Record<string, unknown>>): PDU
  toBuffer(): Buffer
}

/**
 * One connection. Events: connect, secureConnect, close, error, pdu, and each command by its name.
 */
export interface LibrarySession extends EventEmitter {
  readonly socket: Socket
  /** False: the socket is not writable, and nothing was written. */
  send(pdu: PDU, onResponse?: (pdu: PDU) => void): boolean
  close(): void
  destroy(): void
  pause(): void
  resume(): void
}

/** The package's default export. */
export interface Library {
  readonly PDU: new (command: string, fields?: Readonly<Record<string, unknown>>) => PDU
  /** The command statuses by their names. */
  readonly errors: Readonly<Record<string, number>>
  readonly connect: (options: {
    readonly host: string
    readonly port: number
    readonly tls: boolean
    readonly ca?: string
  }) => LibrarySession
  readonly createServer: (
    options: { readonly key?: string; readonly cert?: string },
    onSession: (session: LibrarySession) => void
  ) => Server
}

/** The package is not installed, or has failed to load. */
export class MissingPackage extends Data.TaggedError("TelcoSmpp.MissingPackage")<{
  readonly message: string
  readonly cause: unknown
}> {}

// Bundlers let a package be missing that is imported in a `try`.
const load = async (): Promise<Library | MissingPackage> => {
  try {
    const found = await import("smpp")
    return found.default
  } catch (cause) {
    return new MissingPackage({ message: "a telco of the kind smpp needs the package smpp: npm install smpp", cause })
  }
}

/** An optional dependency: only services with an SMSC need it. */
export const library: Effect.Effect<Library, MissingPackage> = Effect.flatMap(Effect.promise(load), (found) =>
  found instanceof MissingPackage ? Effect.fail(found) : Effect.succeed(found)
)

export interface Target {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Certificates that are trusted beside none of the machine's, in PEM. */
  readonly ca?: string
}

type Fields = Readonly<Record<string, unknown>>

export interface Session {
  /**
   * Writes a request and waits for its response. `NotDone`: it was not written. `Unknown`: it was,
   * and has no response.
   */
  readonly request: (
    command: string,
    fields: Fields,
    answerMillis: number
  ) => Effect.Effect<PDU, CallFailure.CallFailure>
  /** Answers a request of the SMSC. */
  readonly respond: (request: PDU, fields?: Fields) => void
  /** Ends with the connection. */
  readonly closed: Effect.Effect<void>
  /** Closes the connection at once. */
  readonly destroy: Effect.Effect<void>
}

const failure = (outcome: CallFailure.Outcome, message: string) => new CallFailure.CallFailure({ outcome, message })

/**
 * The system's code of an error, such as ECONNREFUSED, else its words. They name no more than the
 * address.
 */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "for an unknown reason"
  return "code" in error && typeof error.code === "string" ? error.code : error.message
}

/** Resumes when the connection is there; the session emits nothing of value before. */
const connected = (session: LibrarySession, { host, isTls, port }: Target) =>
  Effect.callback<void, CallFailure.CallFailure>((resume) => {
    const fail = (reason: string) =>
      resume(Effect.fail(failure("NotDone", `the SMSC cannot be reached at ${host}:${port} (${reason})`)))
    session.once(isTls ? "secureConnect" : "connect", () => resume(Effect.void))
    session.once("error", (error) => fail(reasonOf(error)))
    session.once("close", () => fail("closed"))
  })

/**
 * Connects, and disconnects with the scope. `take` gets the requests of the SMSC; it must not
 * throw.
 */
export const open = (
  library: Library,
  target: Target,
  options: {
    readonly connectMillis: number
    readonly take: (session: Session, request: PDU) => void
    /** Called once the connection is closed, before anyone who waits for a response is notified. */
    readonly whenClosed: () => void
  }
): Effect.Effect<Session, CallFailure.CallFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { ca, host, isTls: tls, port } = target
    const closed = yield* Deferred.make<void>()
    /** The requests that wait for a response: what they are answered when the connection is cut. */
    const waiting = new Set<() => void>()
    const opened = yield* Effect.acquireRelease(
      Effect.sync(() => library.connect({ host, port, tls, ...(ca === undefined ? {} : { ca }) })),
      (session) => Effect.sync(() => session.destroy())
    )
    // After an error of the protocol the package reads nothing more.
    opened.on("error", () => opened.destroy())
    opened.on("close", () => {
      options.whenClosed()
      for (const cut of [...waiting]) cut()
      Deferred.doneUnsafe(closed, Effect.void)
    })
    yield* Effect.timeoutOrElse(connected(opened, target), {
      duration: options.connectMillis,
      orElse: () =>
        Effect.fail(failure("NotDone", `the SMSC cannot be reached at ${host}:${port} (no connection in time)`))
    })
    const session: Session = {
      request: (command, fields, answerMillis) =>
        Effect.callback<PDU, CallFailure.CallFailure>((resume) => {
          const cut = () => {
            waiting.delete(cut)
            resume(Effect.fail(failure("Unknown", "the connection was cut before the SMSC had answered")))
          }
          const isWritten = opened.send(new library.PDU(command, fields), (response) => {
            waiting.delete(cut)
            resume(Effect.succeed(response))
          })
          if (!isWritten) return resume(Effect.fail(failure("NotDone", "the connection to the SMSC is closed")))
          waiting.add(cut)
          return Effect.sync(() => waiting.delete(cut))
        }).pipe(
          Effect.timeoutOrElse({
            duration: answerMillis,
            orElse: () => Effect.fail(failure("Unknown", `the SMSC has not answered within ${answerMillis} ms`))
          })
        ),
      respond: (request, fields = {}) => {
        opened.send(request.response(fields))
      },
      closed: Deferred.await(closed),
      destroy: Effect.sync(() => opened.destroy())
    }
    opened.on("pdu", (pdu: PDU) => {
      if (!pdu.isResponse()) options.take(session, pdu)
    })
    return session
  })

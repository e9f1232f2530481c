/**
 * What is used of the npm package `smpp`, which has no types of its own: written here, so that hosts can check the types of
 * this adapter without it.
 */
import type { EventEmitter } from "node:events"
import type { Server, Socket } from "node:net"

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

/** One connection. Events: connect, secureConnect, close, error, pdu, and each command by its name. */
export interface Session extends EventEmitter {
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
  }) => Session
  readonly createServer: (
    options: { readonly key?: string; readonly cert?: string },
    onSession: (session: Session) => void
  ) => Server
}

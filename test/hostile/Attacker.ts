/** The thread of the attacks, and what an attack is for it. */
import { Worker } from "node:worker_threads"

/** How a connection reads its answers; `stalls`: it reads, and sends its request byte by byte. */
export type Manner = "nothing" | "drips" | "slowly" | "normally" | "stalls"

export interface Credential {
  /** A line of the request's head; empty where there is none. */
  readonly line: string
  /** Whether random letters and digits are appended, others in each request. */
  readonly random: boolean
}

export interface Request {
  /** With the empty line at its end. `@@number@` stands for a number of nine digits. */
  readonly head: string
  readonly body: Uint8Array | null
}

export interface Order {
  readonly port: number
  readonly connections: number
  /** How many requests a connection sends before the first answer. */
  readonly ahead: number
  /** Each connection has one, in turn. */
  readonly manners: ReadonlyArray<Manner>
  readonly credentials: ReadonlyArray<Credential>
  readonly requests: ReadonlyArray<Request>
  readonly millis: number
}

export interface Tally {
  readonly sent: number
  /** How many connections the server closed. */
  readonly closed: number
  readonly statuses: Readonly<Record<string, number>>
}

export interface Attacker {
  readonly attack: (order: Order) => Promise<Tally>
  readonly stop: () => Promise<unknown>
}

export const start = (): Attacker => {
  const worker = new Worker(new URL("./Attacker.mjs", import.meta.url))
  return {
    attack: (order) =>
      new Promise<Tally>((resolve, reject) => {
        worker.once("error", reject)
        worker.once("message", (tally: Tally) => {
          worker.off("error", reject)
          resolve(tally)
        })
        worker.postMessage(order)
      }),
    stop: () => worker.terminate()
  }
}

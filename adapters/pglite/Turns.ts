/**
 * The turns of a session that simplan shares with the host whose PGlite it is.
 *
 * PGlite keeps the transactions of its own methods apart, but not what speaks its protocol. So
 * whatever simplan sends is a transaction to it: a turn begins with a message, and ends when the
 * session is in no transaction any more.
 */

/** What is used of a PGlite that the host has given. */
export interface Given {
  /** Resolves when it has started. */
  readonly waitReady: Promise<void>
  /** Runs statements. */
  exec(query: string): Promise<unknown>
  /** Takes a message of the wire protocol, and gives the reply. */
  execProtocolRawStream(message: Uint8Array, options: { readonly onRawData: (data: Uint8Array) => void }): Promise<void>
  /** Keeps the session for a function, in turn with transactions and other statements. */
  _runExclusiveTransaction<A>(work: () => Promise<A>): Promise<A>
}

export interface Turns {
  /** Waits for a turn, unless it has begun. */
  readonly begin: () => Promise<void>
  /** Takes note of what the session answers. */
  readonly observe: (reply: Uint8Array) => void
  /** Ends the turn if the session is in no transaction. */
  readonly end: () => void
  /** Rolls back what the turn has begun, and ends it. */
  readonly giveUp: () => Promise<void>
}

/** How long `ReadyForQuery` is, the last message of a reply: `Z`, its length 5, and the state. */
const READY = 6

/** A statement as a message of its own: `Q`, its length, and the text with a zero at its end. */
const rollback = (): Uint8Array => {
  const text = Buffer.from("rollback\0")
  const head = Buffer.from([0x51, 0, 0, 0, text.length + 4])
  return new Uint8Array(Buffer.concat([head, text]))
}

export const make = (database: Given): Turns => {
  let over: (() => void) | undefined
  let tail = Buffer.alloc(0)

  const end = (): void => {
    const done = over
    over = undefined
    done?.()
  }

  return {
    begin: () => {
      if (over !== undefined) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const held = () =>
          new Promise<void>((done) => {
            over = done
            resolve()
          })
        database._runExclusiveTransaction(held).catch(reject)
      })
    },
    observe: (reply) => {
      tail = Buffer.concat([tail, reply]).subarray(-READY)
    },
    end: () => {
      if (tail.toString("latin1", 0, 1) === "Z" && tail.toString("latin1", READY - 1) === "I") end()
    },
    giveUp: async () => {
      if (over === undefined) return
      await database.execProtocolRawStream(rollback(), { onRawData: () => undefined })
      end()
    }
  }
}

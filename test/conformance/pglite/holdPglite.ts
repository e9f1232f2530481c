import { Effect } from "effect"
import { Storage } from "simplan/ports"
import * as Pglite from "simplan/pglite"

export interface Message {
  readonly opened: boolean
  readonly message: string
}

/**
 * Opens the directory, commits without end, and closes it when `ended` is settled; reports how it
 * went.
 */
export const hold = (dataDir: string, report: (message: Message) => void, ended: Promise<void>): Promise<void> =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    report({ opened: true, message: "" })
    let done = false
    ended.then(() => {
      done = true
    })
    for (let instant = 1; !done; instant++) {
      yield* storage.commit({ clock: instant })
      report({ opened: true, message: String(instant) })
      yield* Effect.sleep(1)
    }
  }).pipe(
    Effect.provide(Pglite.layer({ dataDir })),
    Effect.catch((error) => Effect.sync(() => report({ opened: false, message: error.message }))),
    Effect.runPromise
  )

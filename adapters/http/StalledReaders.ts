/**
 * Closes the connections of clients that have stopped reading their answers (rule W10). Such an answer holds memory, and
 * may hold a place among the streams of its API key.
 *
 * A reader makes progress when the operating system takes a piece of its answer. That is checked at intervals of a tenth
 * of the limit, so a connection is closed within 1.1 times the limit.
 */
import { Duration, Effect, Schedule } from "effect"
import type * as Http from "node:http"
import type { Socket } from "node:net"

interface Reading {
  /** The bytes of the connection that the operating system had taken when it was last looked at. */
  readonly taken: number
  /** Since when it has taken nothing, in ms of the process's clock. */
  readonly since: number
}

const waits = (socket: Socket, response: Http.ServerResponse): boolean =>
  socket.writableLength > 0 || (!response.writableFinished && response.writableLength > 0)

/** Looks at the connections until the scope ends. `latest` has the last response of each. */
export const close = (latest: ReadonlyMap<Socket, Http.ServerResponse>, limit: Duration.Input) => {
  const limitMillis = Duration.toMillis(Duration.fromInputUnsafe(limit))
  const readings = new WeakMap<Socket, Reading>()
  const look = Effect.sync(() => {
    const now = performance.now()
    for (const [socket, response] of latest) {
      if (!waits(socket, response)) {
        readings.delete(socket)
        continue
      }
      const taken = socket.bytesWritten - socket.writableLength
      const before = readings.get(socket)
      if (before === undefined || before.taken !== taken) readings.set(socket, { taken, since: now })
      else if (now - before.since >= limitMillis) socket.destroy()
    }
  })
  return Effect.forkScoped(Effect.repeat(Effect.delay(look, limitMillis / 10), Schedule.forever))
}

/**
 * Server processes that share a database, each with a supervisor that starts it again when it has
 * ended.
 */
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import type { Random } from "./Random.ts"

export interface Place {
  readonly main: string
  readonly cwd: string
}

export interface Member {
  readonly name: string
  readonly url: string
  /** Kills it, and returns when it is dead; it is started again at once. */
  readonly kill: () => Promise<void>
  /** Stops it by SIGTERM, and returns when it has ended; it is started again at once. */
  readonly end: () => Promise<void>
  /** Kills it, and returns when it has been away for so long and is started again. */
  readonly away: (millis: number) => Promise<void>
  /** It stands still for so long. */
  readonly freeze: (millis: number) => Promise<void>
  /** Returns when it is listening. */
  readonly listening: () => Promise<void>
  /** Stops it for good; its exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
  /** All that it has ever printed. */
  readonly output: () => string
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export interface Options extends Place {
  readonly name: string
  readonly args?: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly last?: RegExp
  readonly port: number
  /** Called at an end that was not asked for. */
  readonly onCrash: (message: string) => void
}

/** Starts it, and keeps it running. */
export const member = ({ name, onCrash, port, ...options }: Options): Member => {
  let isWanted = true
  let isKilled = false
  let absence: Promise<unknown> = Promise.resolve()
  let printed = ""
  let current: ServerProcess.ServerProcess

  const run = (): ServerProcess.ServerProcess => {
    isKilled = false
    const started = ServerProcess.start(options)
    let isListening = false
    started.listening.then(
      () => {
        isListening = true
      },
      () => {}
    )
    started.ended.then(async ({ code, signal }) => {
      printed += started.out() + started.err()
      if (!isWanted) return
      // A server that finds no database says so and ends; whoever supervises it tries again.
      if (!isKilled && isListening) onCrash(`${name} ended with ${signal ?? code}:\n${started.err().slice(-2_000)}`)
      if (!isKilled) await sleep(200)
      await absence
      if (isWanted) current = run()
    })
    return started
  }
  current = run()

  return {
    name,
    url: `http://127.0.0.1:${port}`,
    kill: async () => {
      isKilled = true
      await current.kill("SIGKILL")
    },
    end: async () => {
      isKilled = true
      await current.kill("SIGTERM")
    },
    away: async (millis) => {
      isKilled = true
      absence = sleep(millis)
      await current.kill("SIGKILL")
      await absence
    },
    freeze: async (millis) => {
      const frozen = current
      frozen.process.kill("SIGSTOP")
      await sleep(millis)
      frozen.process.kill("SIGCONT")
    },
    listening: async () => {
      for (;;) {
        const up = await current.listening.then(
          () => true,
          () => false
        )
        if (up && current.process.exitCode === null && current.process.signalCode === null) return
        await sleep(50)
      }
    },
    stop: async (signal) => {
      isWanted = false
      return (await current.kill(signal)).code
    },
    output: () => printed + current.out() + current.err()
  }
}

/** One of them, at random. */
export const anyUrl =
  (members: ReadonlyArray<Member>) =>
  (random: Random): string =>
    random.pick(members).url

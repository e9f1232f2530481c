/** A throw-away PostgreSQL of one's own, kept by a process of its own. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export interface Kept {
  /** The administrator's. */
  readonly url: string
  /** Ends the server as a crash would; returns when it accepts connections again. */
  readonly restart: () => Promise<void>
  /**
   * The same with a server that is stopped in good order, and with one whose first process is
   * killed by SIGKILL.
   */
  readonly reopen: () => Promise<void>
  readonly shoot: () => Promise<void>
  /** Makes a synchronous standby of it; the standby's URL. */
  readonly addStandby: () => Promise<string>
  /** Ends the primary as a crash would, for good. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts one, with settings that differ from the usual ones; fails with the reason where it cannot.
 */
export const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Kept> => {
  const script = fileURLToPath(new URL("./postgres-keeper.mjs", import.meta.url))
  const keeper = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["pipe", "pipe", "inherit"],
    // Out of the terminal's process group, so that Ctrl-C reaches vitest only, which then lets go
    // of the keeper.
    detached: true
  })
  const ended = new Promise<void>((resolve) => keeper.once("exit", () => resolve()))
  const lines = createInterface({ input: keeper.stdout })

  const answered = async (): Promise<string> => {
    const answer = await new Promise<{ readonly url?: string; readonly error?: string }>((resolve) => {
      lines.once("line", (line) => resolve(JSON.parse(line)))
      keeper.once("error", (error) => resolve({ error: error.message }))
      keeper.once("exit", (code) => resolve({ error: `PostgreSQL's keeper ended with code ${code}` }))
    })
    if (answer.url === undefined) throw new Error(answer.error)
    return answer.url
  }

  const act = (name: string): Promise<string> => {
    const done = answered()
    keeper.stdin.write(`${name}\n`)
    return done
  }
  const doing = (name: string) => async (): Promise<void> => {
    await act(name)
  }

  return {
    url: await answered(),
    restart: doing("restart"),
    reopen: doing("reopen"),
    shoot: doing("shoot"),
    addStandby: () => act("standby"),
    kill: doing("kill"),
    stop: async () => {
      keeper.stdin.end()
      await ended
    }
  }
}

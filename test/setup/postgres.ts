import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The administrator's URL of the run's PostgreSQL; tests take a database of their own from `Databases.ts`. */
    postgresUrl: string
  }
}

/** vitest's global set-up: one real PostgreSQL per run. If it cannot start, the run fails. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const keeper = spawn(process.execPath, [fileURLToPath(new URL("./postgres-keeper.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    // Out of the terminal's process group, so that Ctrl-C reaches vitest only, which then lets go of the keeper.
    detached: true
  })
  const ended = new Promise<void>((resolve) => keeper.once("exit", () => resolve()))

  const answer = await new Promise<{ readonly url?: string; readonly error?: string }>((resolve) => {
    createInterface({ input: keeper.stdout }).once("line", (line) => resolve(JSON.parse(line)))
    keeper.once("error", (error) => resolve({ error: error.message }))
    keeper.once("exit", (code) => resolve({ error: `PostgreSQL's keeper ended with code ${code}` }))
  })
  if (answer.url === undefined) throw new Error(`PostgreSQL cannot start, so no test was run.\n${answer.error}`)

  project.provide("postgresUrl", answer.url)
  return async () => {
    keeper.stdin.end()
    await ended
  }
}

import type { TestProject } from "vitest/node"
import * as Keeper from "./keeper.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The administrator's URL of the run's PostgreSQL; tests take a database of their own from
     * `Databases.ts`.
     */
    postgresUrl: string
  }
}

/** vitest's global set-up: one real PostgreSQL per run. If it cannot start, the run fails. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const kept = await Keeper.start().catch((error: unknown) => {
    throw new Error(`PostgreSQL cannot start, so no test was run.\n${error instanceof Error ? error.message : error}`)
  })
  project.provide("postgresUrl", kept.url)
  return kept.stop
}

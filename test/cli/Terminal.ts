/** Runs the command in this process, with the test's own directory and environment. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigProvider, Effect } from "effect"
import { afterEach, beforeEach } from "vitest"
import { Output } from "../../adapters/cli/output/Output.ts"
import * as Settings from "../../adapters/cli/settings/Settings.ts"
import * as Program from "../../adapters/cli/Program.ts"

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * Runs `simplan` with the arguments; by default stderr is no terminal, and tables fit 80 columns.
 */
export const simplan = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  isTerminal = false,
  width = 80
): Promise<Outcome> => {
  let [out, err] = ["", ""]
  const output: Output = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    isTerminal,
    columns: 80,
    width
  }
  const code = await Effect.runPromise(
    Program.run(args).pipe(
      Effect.provideService(Output, output),
      Effect.provideService(Settings.Environment, env),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...env }))
    )
  )
  return { code, out, err }
}

/** Runs each test of the file in a new, empty working directory. */
export const inNewDirectory = (): void => {
  const before = process.cwd()
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "simplan-cli-"))
    process.chdir(directory)
  })
  afterEach(() => {
    process.chdir(before)
    rmSync(directory, { recursive: true, force: true })
  })
}

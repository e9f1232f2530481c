/** Runs the command in this process, in a directory and an environment of the test's own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigProvider, Effect } from "effect"
import { Output } from "../../adapters/cli/output/Output.ts"
import * as Program from "../../adapters/cli/Program.ts"

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `simplan` with the arguments; nobody looks at its terminal unless said so. */
export const simplan = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  isTerminal = false
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
    columns: 80
  }
  const code = await Effect.runPromise(
    Program.run(args).pipe(
      Effect.provideService(Output, output),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...env }))
    )
  )
  return { code, out, err }
}

/** Makes a new directory the working directory; gives the way back. */
export const elsewhere = (): (() => void) => {
  const before = process.cwd()
  const directory = mkdtempSync(join(tmpdir(), "simplan-cli-"))
  process.chdir(directory)
  return () => {
    process.chdir(before)
    rmSync(directory, { recursive: true, force: true })
  }
}

// What the commands of long runs share: their options, and a run of vitest with a configuration of
// its own.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))

const refuse = (message) => {
  console.error(message)
  process.exit(2)
}

/** A seed by the time of day. */
export const seedOfNow = () => String(Date.now() % 2 ** 31)

/** The number of an option; ends the process where it is none that is whole and large enough. */
export const wholeNumber = (name, text, least = 0) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least)
    refuse(`--${name} must be a whole number of at least ${least}, not ${text}`)
  return number
}

/** Ends the process where one of these options is none. */
export const wholeNumbers = (options) => {
  for (const [name, text] of Object.entries(options)) wholeNumber(name, text)
}

/** Ends the process where the option is none of these. */
export const oneOf = (name, value, all) => {
  if (!all.includes(value)) refuse(`--${name} must be one of ${all.join(", ")}, not ${value}`)
}

/**
 * Runs the tests of a folder's own configuration, those that are named or all; their exit code, if
 * it is not 0, is the process's.
 */
export const run = async (folder, env, ...names) => {
  const config = `test/${folder}/vitest.config.ts`
  const options = ["--config", config, "--disable-console-intercept"]
  const child = spawn(process.execPath, [vitest, "run", ...names, ...options], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env }
  })
  const code = await new Promise((resolve) => child.once("exit", resolve))
  if (code !== 0) process.exitCode = code ?? 1
}

/**
 * The start of the process, before its modules are loaded: signals, the flags of V8, and what to
 * say of a package that is missing. This module is loaded first and loads nothing.
 *
 * Until a server handles them, signals end the process at once: a server is loaded for a while, and
 * the first process of a container ignores a signal that has no listener.
 */
import { setFlagsFromString } from "node:v8"

/** The exit codes of processes that end by a signal. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const

const onInterrupt = (): void => process.exit(signalCodes.SIGINT)
const onTerminate = (): void => process.exit(signalCodes.SIGTERM)

/** Has a signal end the process at once, from now on. */
export const endBySignal = (): void => {
  process.on("SIGINT", onInterrupt)
  process.on("SIGTERM", onTerminate)
}

/**
 * Resolves when the signals that came before are handled: the event loop delivers them, and modules
 * can load without a turn of it.
 */
export const signalsDelivered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Leaves signals to others. */
export const leaveSignals = (): void => {
  process.off("SIGINT", onInterrupt)
  process.off("SIGTERM", onTerminate)
}

/**
 * Flags of the heap, for V8. They are set before any other module is loaded.
 *
 * V8 allocates at some places directly in the old space, because earlier values from there lived
 * long (allocation site pretenuring). In a server these are values of single requests, such as the
 * rows of a query. They keep what they point to alive until a full collection, so that nearly all
 * values of a request were copied to the old space: a fifth of the process's time. Without
 * pretenuring, a collection of the young space takes 0.5 ms instead of 4 ms.
 */
export const HEAP_FLAGS = "--no-allocation-site-pretenuring"

const OPTIMIZING = "--wasm-dynamic-tiering"

/**
 * How many bytes of a function's code V8 runs before it optimizes the function. With the 1.8
 * million of Node 20 a quarter of the start of PGlite was spent on that, on functions that are
 * hardly used again. Node 22 has 13 million.
 */
const BUDGET = "--wasm-tiering-budget=20000000"

/**
 * Has V8 optimize of the WebAssembly that is loaded from now on what is used much, and nothing from
 * V8 13 (Node 24) on: that takes 600 MB for a second, for one function of PGlite. It does as it
 * would by itself if Node was given `--wasm-dynamic-tiering`.
 */
export const limitWebAssembly = (): void => {
  if (process.execArgv.includes(OPTIMIZING)) return
  const flags =
    Number.parseInt(process.versions.v8, 10) < 13 ? [BUDGET] : ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]
  for (const flag of flags) setFlagsFromString(flag)
}

/** The package whose import failed; undefined for any other error. */
export const missingPackage = (error: unknown): string | undefined => {
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
  return isMissing ? /^Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined
}

/**
 * Writes one sentence that says what to install, and gives the exit code. Rejects with any other
 * error.
 */
export const reportMissing = async (error: unknown): Promise<number> => {
  const name = missingPackage(error)
  if (name === undefined) throw error
  process.stderr.write(
    `simplan's command line needs the package ${name}, which is not installed: npm install ${name}\n`
  )
  return 1
}

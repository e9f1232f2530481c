/**
 * V8 flags of a server. Those of the heap are set before any other module is loaded, those of WebAssembly before PGlite is.
 *
 * V8 allocates at some places directly in the old space, because earlier values from there lived long (allocation site
 * pretenuring). In a server these are values of single requests, such as the rows of a query. They keep what they point
 * to alive until a full collection, so that nearly all values of a request were copied to the old space: a fifth of the
 * process's time. Without pretenuring, a collection of the young space takes 0.5 ms instead of 4 ms.
 */
import { setFlagsFromString } from "node:v8"

export const ofHeap = "--no-allocation-site-pretenuring"

const OPTIMIZING = "--wasm-dynamic-tiering"

/**
 * Has V8 not optimize the WebAssembly that is loaded from now on, from V8 13 (Node 24) on: that takes 600 MB for a second, for
 * one function of PGlite. It optimizes nevertheless where Node was given `--wasm-dynamic-tiering`.
 */
export const limitWebAssembly = (): void => {
  if (Number.parseInt(process.versions.v8, 10) < 13 || process.execArgv.includes(OPTIMIZING)) return
  setFlagsFromString("--no-wasm-tier-up")
  setFlagsFromString("--no-wasm-dynamic-tiering")
}

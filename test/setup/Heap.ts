/**
 * The heap of this process, for tests of what is held: garbage that no collection has reached yet
 * is not counted.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** The bytes in use on the heap after a collection. */
export const inUse = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

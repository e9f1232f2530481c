/**
 * The limits of a call: its signal and its timeout. A call that is given up rejects at once; its work is interrupted and
 * ends by itself.
 */
import * as Arguments from "./Arguments.ts"
import * as Errors from "./errors/Errors.ts"
import * as Failures from "./errors/Failures.ts"
import * as TimeSpans from "./TimeSpans.ts"
import type { CallOptions } from "./types/Calls.ts"

/** The longest time that a timer of Node can wait, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/** Waits for a promise, but not longer than this. Whether it was settled. */
export const atMost = async (millis: number, promise: Promise<unknown>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(millis, LONGEST))
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a call's work within its limits. `onGivenUp` names what is to be done when the call is given up. */
export const within = <A>(
  method: string,
  options: CallOptions | undefined,
  work: (onGivenUp: (interrupt: () => void) => void) => Promise<A>
): Promise<A> => {
  const { signal, timeout } = options ?? {}
  if (signal?.aborted === true) return Promise.reject(Failures.aborted(signal, method))
  if (signal === undefined && timeout === undefined) return work(() => undefined)
  return new Promise((resolve, reject) => {
    let interrupt: () => void = () => undefined
    let isGivenUp = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const giveUp = (error: Error) => {
      isGivenUp = true
      stop()
      reject(error)
      interrupt()
    }
    const onAbort = () => {
      if (signal !== undefined) giveUp(Failures.aborted(signal, method))
    }
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
    }
    if (timeout !== undefined) {
      const millis = TimeSpans.millis(timeout)
      if (millis === undefined) return reject(Arguments.invalid(method, "timeout", TimeSpans.MESSAGE, timeout))
      const message = `${method} was not done within ${typeof timeout === "number" ? `${timeout} ms` : timeout}`
      const late = () => giveUp(new Errors.TimeoutError({ code: "timeout", status: 504, message }))
      timer = setTimeout(late, Math.min(millis, LONGEST))
    }
    signal?.addEventListener("abort", onAbort)
    work((named) => {
      interrupt = named
      if (isGivenUp) named()
    })
      .then(resolve, reject)
      .finally(stop)
  })
}

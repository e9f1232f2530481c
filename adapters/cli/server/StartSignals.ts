/**
 * SIGINT and SIGTERM until the server listens to them itself (`Signals.ts`), which takes its modules first. The kernel drops
 * both for the first process of a container as long as it has no listener. This module is loaded first and loads nothing.
 */

/** The exit codes of processes that end by a signal. */
export const codes = { SIGINT: 130, SIGTERM: 143 } as const

const onInterrupt = (): void => process.exit(codes.SIGINT)
const onTerminate = (): void => process.exit(codes.SIGTERM)

/** Has a signal end the process at once, from now on. */
export const begin = (): void => {
  process.on("SIGINT", onInterrupt)
  process.on("SIGTERM", onTerminate)
}

/**
 * Resolves when the signals that came before are handled: the event loop delivers them, and modules can load without a
 * turn of it.
 */
export const delivered = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Leaves signals to others. */
export const end = (): void => {
  process.off("SIGINT", onInterrupt)
  process.off("SIGTERM", onTerminate)
}

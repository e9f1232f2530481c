/**
 * Work on demand, for hosts that run no worker.
 */
import { Schema } from "effect"
import { Worker } from "simplan"
import * as Arguments from "./Arguments.ts"
import * as Errors from "./errors/Errors.ts"
import * as Routed from "./ports/Routed.ts"
import type { Runtime } from "./Runtime.ts"
import * as TimeSpans from "./TimeSpans.ts"
import type { Drained, Simplan } from "./types/Simplan.ts"

const METHOD = "drain"

const decode = Arguments.decoder(
  Schema.Struct({
    within: Schema.optional(Schema.declare(TimeSpans.isTimeSpan, { message: TimeSpans.MESSAGE })),
    signal: Schema.optional(Schema.instanceOf(AbortSignal, { message: "must be an AbortSignal" }))
  }),
  "the options"
)

export const drain =
  (runtime: Runtime): Simplan["drain"] =>
  async (options = {}) => {
    const { signal, within } = decode(METHOD, options)
    const work = Routed.drain(Worker.Worker.use((worker) => worker.drain))
    try {
      const nextDue = await runtime.run({ method: METHOD, request: options }, work, { signal, timeout: within })
      return { finished: true, nextDueAt: Arguments.toDateOrNull(nextDue) } satisfies Drained
    } catch (error) {
      if (error instanceof Errors.TimeoutError) return { finished: false, nextDueAt: null }
      throw error
    }
  }

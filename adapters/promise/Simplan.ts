/**
 * simplan for hosts that use plain Promises.
 *
 *     const simplan = createSimplan({ database: "postgres://…", telco })
 *     const { organizationId } = await simplan.organizations.create({ name: "Acme" })
 *     const plan = await simplan.plans.create({ organizationId, name, coverageId, dataMegaBytes, periodDays })
 *     await simplan.close()
 *
 * No type that a host sees here is one of Effect.
 */
import { Schema } from "effect"
import { Worker } from "simplan"
import * as Arguments from "./Arguments.ts"
import * as Errors from "./errors/Errors.ts"
import * as Http from "./http/Http.ts"
import type { Options } from "./Options.ts"
import * as Handlers from "./Handlers.ts"
import * as Logs from "./Logs.ts"
import * as Ports from "./ports/Ports.ts"
import * as Routed from "./ports/Routed.ts"
import * as Bulk from "./resources/Bulk.ts"
import * as Commands from "./resources/Commands.ts"
import * as Coverage from "./resources/Coverage.ts"
import * as Jobs from "./resources/Jobs.ts"
import * as Operation from "./resources/Operation.ts"
import * as Organizations from "./resources/Organizations.ts"
import * as Plans from "./resources/Plans.ts"
import * as ServiceOperators from "./resources/ServiceOperators.ts"
import * as Sims from "./resources/Sims.ts"
import * as Subscriptions from "./resources/Subscriptions.ts"
import * as Usage from "./resources/Usage.ts"
import * as Webhooks from "./resources/Webhooks.ts"
import * as Runtime from "./Runtime.ts"
import type { Drained, Simplan } from "./types/Simplan.ts"
import * as Within from "./within/Within.ts"

const DRAIN = "drain"

const decodeDrain = Arguments.decoder(
  Schema.Struct({
    within: Schema.optional(Arguments.TimeSpan),
    signal: Schema.optional(Arguments.Signal)
  }),
  "the options"
)

/** Work on demand, for hosts that run no worker. */
const drain =
  (runtime: Runtime.Runtime): Simplan["drain"] =>
  async (options = {}) => {
    const { signal, within } = decodeDrain(DRAIN, options)
    const work = Routed.drain(Worker.Worker.use((worker) => worker.drain))
    try {
      const nextDue = await runtime.run({ method: DRAIN, request: options }, work, { signal, timeout: within })
      return { finished: true, nextDueAt: Arguments.toDateOrNull(nextDue) } satisfies Drained
    } catch (error) {
      if (error instanceof Errors.TimeoutError) return { finished: false, nextDueAt: null }
      throw error
    }
  }

/**
 * The service over a database and a telco. It starts in the background; every method waits for the
 * start. A start that fails is reported by the call that waits for it, and tried again at the next
 * one.
 *
 * Throws an `InvalidFieldError` at once if an option is wrong.
 */
export const createSimplan = (options: Options): Simplan => {
  const { layer, ...rest } = Ports.make(options)
  const runtime = Runtime.make(layer, rest)
  return {
    apiKeys: Organizations.makeApiKeys(runtime),
    attachments: Subscriptions.makeAttachments(runtime),
    auditLog: Operation.makeAuditLog(runtime),
    bulk: Bulk.make(runtime),
    catalogues: Coverage.makeCatalogues(runtime),
    clock: Operation.makeClock(runtime),
    commands: Commands.make(runtime),
    coverage: Coverage.make(runtime),
    handlers: Handlers.make(runtime),
    messages: Subscriptions.makeMessages(runtime),
    operators: Coverage.makeOperators(runtime),
    organizations: Organizations.make(runtime),
    overview: Jobs.makeOverview(runtime),
    plans: Plans.make(runtime),
    problems: Jobs.makeProblems(runtime),
    reports: Operation.makeReports(runtime),
    serviceOperators: ServiceOperators.make(runtime),
    sims: Sims.make(runtime),
    subscriptions: Subscriptions.make(runtime),
    telcos: Operation.makeTelcos(runtime),
    usage: Usage.make(runtime),
    waitingJobs: Jobs.makeWaitingJobs(runtime),
    wallet: Sims.makeWallet(runtime),
    webhooks: Webhooks.make(runtime),
    on: Handlers.on(runtime),
    within: (transaction) => Within.make(runtime, transaction),
    ready: async () => void (await runtime.context()),
    drain: drain(runtime),
    ...Http.make(runtime, {
      telcosOf: Routed.telcos,
      isSimulated: options.telco === "simulator",
      warn: Logs.warning(options.logger),
      options: options.http
    }),
    close: runtime.close,
    [Symbol.asyncDispose]: runtime.close
  }
}

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
import * as BulkResource from "./resources/BulkResource.ts"
import * as CommandsResource from "./resources/CommandsResource.ts"
import * as CoverageResource from "./resources/CoverageResource.ts"
import * as JobsResource from "./resources/JobsResource.ts"
import * as OperationResource from "./resources/OperationResource.ts"
import * as OrganizationsResource from "./resources/OrganizationsResource.ts"
import * as PlansResource from "./resources/PlansResource.ts"
import * as ServiceOperatorsResource from "./resources/ServiceOperatorsResource.ts"
import * as SimsResource from "./resources/SimsResource.ts"
import * as SubscriptionsResource from "./resources/SubscriptionsResource.ts"
import * as CostsResource from "./resources/CostsResource.ts"
import * as UsageResource from "./resources/UsageResource.ts"
import * as WebhooksResource from "./resources/WebhooksResource.ts"
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
    apiKeys: OrganizationsResource.makeApiKeys(runtime),
    attachments: SubscriptionsResource.makeAttachments(runtime),
    auditLog: OperationResource.makeAuditLog(runtime),
    bulk: BulkResource.make(runtime),
    catalogues: CoverageResource.makeCatalogues(runtime),
    clock: OperationResource.makeClock(runtime),
    commands: CommandsResource.make(runtime),
    coverage: CoverageResource.make(runtime),
    handlers: Handlers.make(runtime),
    messages: SubscriptionsResource.makeMessages(runtime),
    operators: CoverageResource.makeOperators(runtime),
    organizations: OrganizationsResource.make(runtime),
    overview: JobsResource.makeOverview(runtime),
    plans: PlansResource.make(runtime),
    problems: JobsResource.makeProblems(runtime),
    reports: OperationResource.makeReports(runtime),
    serviceOperators: ServiceOperatorsResource.make(runtime),
    sims: SimsResource.make(runtime),
    subscriptions: SubscriptionsResource.make(runtime),
    telcos: OperationResource.makeTelcos(runtime),
    costs: CostsResource.make(runtime),
    usage: UsageResource.make(runtime),
    waitingJobs: JobsResource.makeWaitingJobs(runtime),
    wallet: SimsResource.makeWallet(runtime),
    webhooks: WebhooksResource.make(runtime),
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

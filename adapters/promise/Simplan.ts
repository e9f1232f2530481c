/**
 * simplan for hosts that use plain Promises.
 *
 *     const simplan = await Simplan.make({ storage: Memory.layer, telco: TelcoSimulator.layerMemory() })
 *     const { organizationId } = await simplan.organizations.create({ name: "Acme" })
 *     const plan = await simplan.plans.create({ organizationId, terms })
 *     await simplan.close()
 *
 * Storages and clocks are passed as the layers that their modules export; a host needs no knowledge of Effect for that.
 */
import { NodeCrypto } from "@effect/platform-node"
import { Context, Effect, Exit, Layer, Scope, type Stream } from "effect"
import * as Core from "simplan"
import type * as Ports from "simplan/ports"
import { StandardCatalogue } from "../catalogue/index.ts"
import * as Clocks from "../virtual-clock/index.ts"
import { HttpSender } from "../webhooks-http/index.ts"
import { type CallOptions, type Promised, promised, type Source, toStream } from "./Promised.ts"
import * as Telco from "./Telco.ts"

export interface Options {
  /** Such as `Memory.layer`, `Pglite.layer({ dataDir })` or `Postgres.layer({ url })`. */
  readonly storage: Layer.Layer<Ports.Storage.Storage | Ports.Jobs.Jobs | Ports.Outbox.Outbox, unknown>
  /** Calls written with Promises, or a layer. */
  readonly telco: Telco.PromisedTelco | Layer.Layer<Ports.Telco.Telco, unknown>
  /** How webhooks are sent; over HTTP by default. */
  readonly webhooks?: Layer.Layer<Ports.WebhookSender.WebhookSender, unknown>
  /** The first catalogue; the standard one by default. */
  readonly catalogue?: Layer.Layer<Core.Catalogues.BuiltIn, unknown>
  /** The machine's clock by default; `VirtualClock.virtual(start)` can be advanced. */
  readonly clock?: Layer.Layer<Ports.BusinessClock.BusinessClock, unknown, Ports.Storage.Storage>
  /**
   * Whether this is the only process on the storage. It then takes over the jobs of a killed process at once, and not when
   * their leases end.
   */
  readonly alone?: boolean
  /** Whether due work is done in the background, true by default. If not, `drain` does it. */
  readonly background?: boolean
}

const services = {
  apiKeys: Core.ApiKeys.ApiKeys,
  attachments: Core.Attachments.Attachments,
  auditLog: Core.AuditLog.AuditLog,
  catalogues: Core.Catalogues.Catalogues,
  /** Reads the business clock, and advances a virtual one. */
  clock: Core.Clock.Clock,
  coverage: Core.Coverage.Coverage,
  messages: Core.Messages.Messages,
  operators: Core.Operators.Operators,
  organizations: Core.Organizations.Organizations,
  plans: Core.Plans.Plans,
  reports: Core.Reports.Reports,
  sims: Core.Sims.Sims,
  subscriptions: Core.Subscriptions.Subscriptions,
  wallet: Core.Wallet.Wallet,
  webhooks: Core.Webhooks.Webhooks
} as const

type Services = { readonly [Name in keyof typeof services]: Promised<(typeof services)[Name]["Service"]> }

type ImportRequest = Parameters<Services["sims"]["importRows"]>[0]
type Row = ImportRequest["rows"] extends Stream.Stream<infer A, unknown> ? A : never

export interface Simplan extends Omit<Services, "sims"> {
  readonly sims: Omit<Services["sims"], "importRows"> & {
    /** `rows` may be any iterable; it is read during the import. */
    readonly importRows: (
      request: Omit<ImportRequest, "rows"> & { readonly rows: Source<Row> },
      options?: CallOptions
    ) => ReturnType<Services["sims"]["importRows"]>
  }
  /** Resolves when all work that is due now is done. */
  readonly drain: () => Promise<void>
  /** Finishes current calls and closes the storage. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

type All = Context.Context<Core.Services.Services>

function promisedServices(context: All): Services
function promisedServices(context: All): object {
  return Object.fromEntries(
    Object.entries(services).map(([name, service]) => [name, promised(context.mapUnsafe.get(service.key))])
  )
}

const isLayer = (telco: Options["telco"]): telco is Layer.Layer<Ports.Telco.Telco, unknown> => Layer.isLayer(telco)

const portsOf = (options: Options) =>
  Layer.mergeAll(
    isLayer(options.telco) ? options.telco : Telco.layer(options.telco),
    options.webhooks ?? HttpSender.layer(),
    options.catalogue ?? StandardCatalogue.layer,
    options.clock ?? Clocks.system,
    NodeCrypto.layer
  ).pipe(Layer.provideMerge(options.storage))

/** Starts the services. Rejects if a part cannot be used, such as a storage that is in use. */
export const make = async (options: Options): Promise<Simplan> => {
  const scope = Scope.makeUnsafe()
  const ports = portsOf(options)
  const begun = options.alone === true ? Layer.provideMerge(Layer.effectDiscard(Core.Leases.takeOver), ports) : ports
  const services = Core.Services.layer.pipe(Layer.provide(begun))
  const all = options.background === false ? services : Layer.provideMerge(Core.Worker.background, services)
  const context = await Effect.runPromise(
    Layer.buildWithScope(all, scope).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  )
  const { sims, ...others } = promisedServices(context)
  const worker = promised(Context.get(context, Core.Worker.Worker))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return closing
  }
  return {
    ...others,
    sims: {
      ...sims,
      importRows: ({ rows, ...request }, call) => sims.importRows({ ...request, rows: toStream(rows) }, call)
    },
    drain: async () => void (await worker.drain()),
    close,
    [Symbol.asyncDispose]: close
  }
}

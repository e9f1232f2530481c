/**
 * simplan for hosts that use plain Promises.
 *
 *     const simplan = await Simplan.make({ storage: Memory.layer, telco: TelcoSimulator.layerMemory() })
 *     const { organizationId } = await simplan.organizations.create({ name: "Acme" })
 *     const plan = await simplan.plans.create({ organizationId, terms })
 *     await simplan.close()
 *
 * Storages and clocks are taken as the layers that their packages export; nothing of Effect has to be known to pass
 * them on.
 */
import { NodeCrypto } from "@effect/platform-node"
import { Context, Effect, Exit, Layer, Scope, type Stream } from "effect"
import * as Core from "simplan"
import { StandardCatalogue } from "../catalogue/index.ts"
import * as Clocks from "../virtual-clock/index.ts"
import { HttpSender } from "../webhooks-http/index.ts"
import { type CallOptions, type Promised, promised, type Source, toStream } from "./Promised.ts"
import * as Telco from "./Telco.ts"

export interface Options {
  /** Such as `Memory.layer`, `Pglite.layer({ dataDir })` or `Postgres.layer({ url })`. */
  readonly storage: Layer.Layer<Core.Storage.Storage | Core.Jobs.Jobs | Core.Outbox.Outbox, unknown>
  /** Calls written with Promises, or a layer. */
  readonly telco: Telco.PromisedTelco | Layer.Layer<Core.Telco.Telco, unknown>
  /** How webhooks are sent; over HTTP where it is not given. */
  readonly webhooks?: Layer.Layer<Core.WebhookSender.WebhookSender, unknown>
  /** The catalogue to start with; that of the real world where it is not given. */
  readonly catalogue?: Layer.Layer<Core.Catalogues.BuiltIn, unknown>
  /** The machine's where it is not given; `VirtualClock.virtual(start)` for one that can be advanced. */
  readonly clock?: Layer.Layer<Core.BusinessClock.BusinessClock, unknown, Core.Storage.Storage>
  /**
   * Whether this is the only process on the storage, as on one that is embedded: what a killed process held is then
   * taken over at once, and not when its leases end.
   */
  readonly alone?: boolean
  /** Whether due work is done in the background (it is, unless false); if not, `drain` does it. */
  readonly background?: boolean
}

type PromisedSims = Promised<Core.Sims.Sims["Service"]>
type ImportRequest = Parameters<PromisedSims["importRows"]>[0]
type Row = ImportRequest["rows"] extends Stream.Stream<infer A, unknown> ? A : never

export interface Simplan {
  readonly attachments: Promised<Core.Attachments.Attachments["Service"]>
  readonly catalogues: Promised<Core.Catalogues.Catalogues["Service"]>
  /** Reading the business clock, and advancing a virtual one. */
  readonly clock: Promised<Core.Clock.Clock["Service"]>
  readonly coverage: Promised<Core.Coverage.Coverage["Service"]>
  readonly messages: Promised<Core.Messages.Messages["Service"]>
  readonly operators: Promised<Core.Operators.Operators["Service"]>
  readonly organizations: Promised<Core.Organizations.Organizations["Service"]>
  readonly plans: Promised<Core.Plans.Plans["Service"]>
  readonly reports: Promised<Core.Reports.Reports["Service"]>
  readonly sims: Omit<PromisedSims, "importRows"> & {
    /** The rows may be any iterable, read as they are imported. */
    readonly importRows: (
      request: Omit<ImportRequest, "rows"> & { readonly rows: Source<Row> },
      options?: CallOptions
    ) => ReturnType<PromisedSims["importRows"]>
  }
  readonly subscriptions: Promised<Core.Subscriptions.Subscriptions["Service"]>
  readonly wallet: Promised<Core.Wallet.Wallet["Service"]>
  readonly webhooks: Promised<Core.Webhooks.Webhooks["Service"]>
  /** Resolves when all work that is due now is done. */
  readonly drain: () => Promise<void>
  /** Finishes what is under way and lets go of the storage. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const isLayer = (telco: Options["telco"]): telco is Layer.Layer<Core.Telco.Telco, unknown> => Layer.isLayer(telco)

const portsOf = (options: Options) =>
  Layer.mergeAll(
    isLayer(options.telco) ? options.telco : Telco.layer(options.telco),
    options.webhooks ?? HttpSender.layer(),
    options.catalogue ?? StandardCatalogue.layer,
    options.clock ?? Clocks.system,
    NodeCrypto.layer
  ).pipe(Layer.provideMerge(options.storage))

/** Starts the services. Rejects with the reason where a part cannot be used: a storage in use, a database not there. */
export const make = async (options: Options): Promise<Simplan> => {
  const scope = Scope.makeUnsafe()
  const ports = portsOf(options)
  const begun = options.alone === true ? Layer.provideMerge(Layer.effectDiscard(Core.Leases.takeOver), ports) : ports
  const services = Core.Services.layer.pipe(Layer.provide(begun))
  const all = options.background === false ? services : Layer.provideMerge(Core.Worker.background, services)
  const context = await Effect.runPromise(
    Layer.buildWithScope(all, scope).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  )
  const sims = promised(Context.get(context, Core.Sims.Sims))
  const worker = promised(Context.get(context, Core.Worker.Worker))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return closing
  }
  return {
    attachments: promised(Context.get(context, Core.Attachments.Attachments)),
    catalogues: promised(Context.get(context, Core.Catalogues.Catalogues)),
    clock: promised(Context.get(context, Core.Clock.Clock)),
    coverage: promised(Context.get(context, Core.Coverage.Coverage)),
    messages: promised(Context.get(context, Core.Messages.Messages)),
    operators: promised(Context.get(context, Core.Operators.Operators)),
    organizations: promised(Context.get(context, Core.Organizations.Organizations)),
    plans: promised(Context.get(context, Core.Plans.Plans)),
    reports: promised(Context.get(context, Core.Reports.Reports)),
    sims: {
      ...sims,
      importRows: ({ rows, ...request }, call) => sims.importRows({ ...request, rows: toStream(rows) }, call)
    },
    subscriptions: promised(Context.get(context, Core.Subscriptions.Subscriptions)),
    wallet: promised(Context.get(context, Core.Wallet.Wallet)),
    webhooks: promised(Context.get(context, Core.Webhooks.Webhooks)),
    drain: () => worker.drain(),
    close,
    [Symbol.asyncDispose]: close
  }
}

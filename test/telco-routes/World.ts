/**
 * The services in memory over the telcos of a settings file, on the machine's clock unless another
 * is given.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer, Logger, ManagedRuntime, Metric, Result, Stream } from "effect"
import { Catalogues, Organizations, Plans, Services, Settings as Limits, Sims, Worker } from "simplan"
import {
  Clocks,
  Iccid,
  type Jobs,
  type Label,
  type Outbox,
  type Plan,
  type Storage,
  type Telco,
  WebhookSender
} from "simplan/ports"
import { StandardCatalogue } from "../../adapters/catalogue/index.ts"
import * as Memory from "../../adapters/memory/index.ts"
import * as Pglite from "../../adapters/pglite/index.ts"
import { Journal, SqlJournal } from "../../adapters/telco-calls/index.ts"
import { Routes, TelcoFile } from "../../adapters/telco-routes/index.ts"
import { Books } from "../../adapters/telco-simulator/index.ts"
import { onTestFinished } from "vitest"

export type Provided =
  | Services.Services
  | Telco.Telco
  | Storage.Storage
  | Clocks.BusinessClock
  | Routes.Routes
  | Journal.Journal
  | Books.Books

export interface World {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Provided>) => Promise<A>
  readonly logs: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** What outlives the services of a world: a second one over it is the service after a restart. */
export const durable = (): Durable =>
  ManagedRuntime.make(Layer.mergeAll(Memory.layer, Journal.layerMemory, Books.layerMemory))

type Kept = Storage.Storage | Jobs.Jobs | Outbox.Outbox | Journal.Journal | Books.Books

/** Likewise in an embedded database, which has the journal too. */
export const embedded = (): Durable =>
  ManagedRuntime.make(
    Layer.orDie(Layer.merge(SqlJournal.layer, Books.layerMemory).pipe(Layer.provideMerge(Pglite.layer({}))))
  )

export type Durable = ManagedRuntime.ManagedRuntime<Kept, never>

/** Settings of a file with these telcos and routes. */
export const settings = (telcos: unknown, routes: unknown, env: Readonly<Record<string, string>> = {}) =>
  Result.getOrThrow(
    TelcoFile.parse({ text: JSON.stringify({ telcos, routes }), name: "telcos.json", directory: "/", env })
  )

/** Starts the services, which stop when the test has ended; with the worker if asked. */
export const start = async (
  of: ReturnType<typeof settings>,
  {
    clock = Clocks.system,
    concurrency = 192,
    kept = durable(),
    telcoTimeoutMillis = 10_000,
    works = false
  }: {
    readonly kept?: Durable
    readonly works?: boolean
    readonly concurrency?: number
    readonly telcoTimeoutMillis?: number
    readonly clock?: Layer.Layer<Clocks.BusinessClock, never, Storage.Storage>
  } = {}
): Promise<World> => {
  const logs: Array<string> = []
  const stored = Layer.succeedContext(await kept.runPromise(Effect.context<Kept>()))
  const ports = Layer.mergeAll(
    Routes.layer(of),
    clock,
    Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) }),
    StandardCatalogue.layer,
    NodeCrypto.layer
  ).pipe(Layer.provideMerge(stored))
  const limits = Layer.effect(
    Limits.Settings,
    Effect.map(Limits.Settings, (preset) => ({ ...preset, concurrency, telcoTimeoutMillis, pollMillis: 50 }))
  )
  const services = Services.layer.pipe(Layer.provideMerge(ports), Layer.provide(limits))
  const all = works ? Layer.provideMerge(Worker.background, services) : services
  const runtime = ManagedRuntime.make(
    all.pipe(
      Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => logs.push(line))])),
      Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
    )
  )
  await runtime.runPromise(Effect.void)
  const world: World = { run: (effect) => runtime.runPromise(effect), logs, close: () => runtime.dispose() }
  onTestFinished(world.close)
  return world
}

let serial = 0

/** An ICCID that no test had before. */
export const iccid = (): string => {
  const digits = `8999911${String(++serial).padStart(11, "0")}`
  return [..."0123456789"].map((digit) => digits + digit).find(Iccid.hasLuhnDigit) ?? digits
}

export const organization = Organizations.Organizations.use((of) => of.create({ name: "Acme" }))

/** A standard profile of a label. */
export const coverage = (label: Label.Label) =>
  Catalogues.Catalogues.use((of) =>
    Effect.map(of.current, ({ profiles }) => {
      const found = profiles.find((profile) => profile.label === label)
      if (found === undefined) throw new Error(`no profile of ${label}`)
      return found
    })
  )

export const terms = (coverageId: string, changes: Partial<Plan.TermsRequest> = {}): Plan.TermsRequest => ({
  name: "1 GB",
  coverageId,
  dataMegaBytes: 1_024,
  periodDays: 30,
  throttling: [],
  recurrence: null,
  ...changes
})

export const plan = (organizationId: string, label: Label.Label) =>
  Effect.flatMap(coverage(label), ({ coverageId }) =>
    Plans.Plans.use((of) => of.create({ organizationId, terms: terms(coverageId) }))
  )

/** Imports new SIMs of a label; their ICCIDs. */
export const sims = (organizationId: string, label: Label.Label, count: number) => {
  const rows = Array.from({ length: count }, () => ({ iccid: iccid(), label, isEsim: true }))
  return Effect.as(
    Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.fromIterable(rows) })),
    rows.map((row) => row.iccid)
  )
}

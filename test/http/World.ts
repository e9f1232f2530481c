/**
 * A whole service on a port of its own, with memory storage, the telco simulator, the real
 * catalogue and a virtual clock.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Context, type Duration, Effect, Layer, Logger, ManagedRuntime, Metric, Redacted, Result } from "effect"
import { Health, Services } from "simplan"
import { Clocks, type Jobs, type Outbox, Storage, WebhookSender } from "simplan/ports"
import { afterAll, onTestFinished } from "vitest"
import { StandardCatalogue } from "../../adapters/catalogue/index.ts"
import { type Routes, Server } from "../../adapters/http/index.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { TelcoSimulator } from "../../adapters/telco-simulator/index.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Definition from "./Definition.ts"
import * as Telcos from "./Telcos.ts"

export const START = Date.UTC(2026, 0, 10, 12)
export const ADMIN_TOKEN = "admin-token-of-the-tests"
export const TELCO_TOKEN = "telco-token-of-the-tests"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  readonly body: any
}

export interface Call {
  readonly body?: unknown
  readonly raw?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface World {
  readonly url: string
  readonly logs: ReadonlyArray<string>
  readonly fetch: (method: string, path: string, call?: Call) => Promise<Answer>
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly telco: (events: unknown) => Promise<Answer>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Provided>) => Promise<A>
  readonly close: () => Promise<void>
}

export type Provided = Services.Services | Storage.Storage | Server.Server | TelcoSimulator.TelcoSimulator

export interface Setting extends Partial<Routes.Options> {
  /** Memory by default. */
  readonly storage?: Layer.Layer<Storage.Storage | Jobs.Jobs | Outbox.Outbox, unknown>
  /** Answers 200 to every webhook by default. */
  readonly sender?: Layer.Layer<WebhookSender.WebhookSender>
  readonly drainTimeout?: Duration.Input
  readonly headersTimeout?: Duration.Input
  readonly stallTimeout?: Duration.Input
  readonly unreadBytes?: number
  readonly connections?: number
  readonly connectionsOfAddress?: number
  /** References of the server's fibers, such as a tracer. */
  readonly around?: Layer.Layer<never>
  /** Of `Health.WaitLimit`: a minute by default, since a machine under load measures slowly. */
  readonly waitLimit?: number
  /** References beside the ports, such as `TelcoBundles`. */
  readonly beside?: Layer.Layer<never>
  /** Replaces some services. */
  readonly replace?: (
    services: Context.Context<Services.Services | Storage.Storage>
  ) => Context.Context<Services.Services | Storage.Storage>
}

/** A storage in memory of which some is changed. */
export const changed = (
  change: (stored: Storage.Storage["Service"]) => Partial<Storage.Storage["Service"]>
): NonNullable<Setting["storage"]> =>
  Layer.effectContext(
    Effect.map(Effect.context<Layer.Success<typeof Memory.layer>>(), (ports) => {
      const stored = Context.get(ports, Storage.Storage)
      return Context.add(ports, Storage.Storage, { ...stored, ...change(stored) })
    })
  ).pipe(Layer.provide(Memory.layer))

const silent = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) })

const ports = (storage: NonNullable<Setting["storage"]>, sender: NonNullable<Setting["sender"]>) =>
  Layer.mergeAll(
    storage,
    Clocks.virtual(START),
    TelcoSimulator.layerMemory(),
    sender,
    StandardCatalogue.layer,
    NodeCrypto.layer
  )

/** Starts a world. */
export const start = async ({
  around = Layer.empty,
  beside = Layer.empty,
  drainTimeout = "2 seconds",
  headersTimeout = "30 seconds",
  replace,
  sender = silent,
  stallTimeout = "30 seconds",
  storage = Memory.layer,
  waitLimit = 60_000,
  connections,
  connectionsOfAddress,
  unreadBytes,
  ...options
}: Setting = {}): Promise<World> => {
  const logs: Array<string> = []
  Leaks.know(ADMIN_TOKEN)
  Leaks.know(TELCO_TOKEN)
  Leaks.watch({ what: "the server's log", text: () => logs.join("\n") })
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => logs.push(line))])
  const services = Services.layer.pipe(Layer.provide(beside), Layer.provideMerge(ports(storage, sender)))
  const used =
    replace === undefined
      ? services
      : Layer.effectContext(
          Effect.gen(function* () {
            const context = yield* Effect.context<Layer.Success<typeof services>>()
            return Context.merge(context, replace(context))
          })
        ).pipe(Layer.provide(services))
  const server = Server.layer(
    {
      ...{ host: "127.0.0.1", port: 0, drainTimeout, stallTimeout, headersTimeout },
      ...(connections !== undefined && { connections }),
      ...(connectionsOfAddress !== undefined && { connectionsOfAddress }),
      ...(unreadBytes !== undefined && { unreadBytes })
    },
    {
      adminToken: Redacted.make(ADMIN_TOKEN),
      telcoToken: Redacted.make(TELCO_TOKEN),
      rateLimit: "off",
      failedAuthentication: "off",
      withoutKey: "off",
      telcos: Telcos.make().telcos,
      checkUrl: (url) => (url.startsWith("https://") ? Result.succeed(url) : Result.fail("must start with https://")),
      ...options
    }
  )
  const metrics = Layer.sync(Metric.MetricRegistry, () => new Map())
  const runtime = ManagedRuntime.make(
    server.pipe(
      Layer.provideMerge(used),
      Layer.provide([logger, around, Layer.succeed(Health.WaitLimit, waitLimit)]),
      Layer.provideMerge(metrics)
    )
  )
  const { url } = await runtime.runPromise(Server.Server)

  const call = async (method: string, path: string, { body, headers, raw }: Call = {}): Promise<Answer> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? undefined : { "content-type": "application/json" }), ...headers },
      ...(sent === undefined ? undefined : { body: sent })
    })
    const text = await response.text()
    if (response.status >= 400) Leaks.watch({ what: `the answer to ${method} ${path}`, text: () => text })
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== ""
    const parsed: unknown = isJson ? JSON.parse(text) : undefined
    const wrong = Definition.mismatch(method, path, response.status, parsed)
    if (wrong !== undefined) throw new Error(wrong)
    return { status: response.status, headers: response.headers, text, body: parsed }
  }

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    url,
    logs,
    fetch: call,
    admin: (method, path, body) => call(method, `/admin/v1${path}`, { body, headers: bearer(ADMIN_TOKEN) }),
    telco: (events) => call("POST", "/telco/v1/events", { body: { events }, headers: bearer(TELCO_TOKEN) }),
    run: (effect) => runtime.runPromise(effect),
    close: () => runtime.dispose()
  }
}

/** A world for one test, which closes it when it has ended. */
export const forTest = async (setting: Setting = {}): Promise<World> => {
  const world = await start(setting)
  onTestFinished(world.close)
  return world
}

/** A world for all tests of a file, which closes it after the last one. */
export const forFile = async (setting: Setting = {}): Promise<World> => {
  const world = await start(setting)
  afterAll(() => world.close())
  return world
}

/** An organization with a key. */
export interface Tenant {
  readonly organizationId: string
  readonly key: string
  readonly call: (method: string, path: string, call?: Call) => Promise<Answer>
  readonly get: (path: string) => Promise<Answer>
  readonly post: (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>
}

/** Makes an organization with a key; its calls send the key. */
export const tenant = async (world: World, scope: "full" | "read" = "full", name = "Acme"): Promise<Tenant> => {
  const made = await world.admin("POST", "/organizations", { name })
  const organizationId: string = made.body.data.organization_id
  const answer = await world.admin("POST", `/organizations/${organizationId}/api-keys`, { name: "tests", scope })
  const key: string = answer.body.data.key
  const call: Tenant["call"] = (method, path, options = {}) =>
    world.fetch(method, path, { ...options, headers: { "x-api-key": key, ...options.headers } })
  return {
    organizationId,
    key,
    call,
    get: (path) => call("GET", path),
    post: (path, body, headers) => call("POST", path, { body, ...(headers && { headers }) })
  }
}

/** The n-th of the ICCIDs of the tests, with its Luhn digit. */
export const iccid = (n: number): string => {
  const digits = `8944500${String(n).padStart(11, "0")}`
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits + String((10 - (sum % 10)) % 10)
}

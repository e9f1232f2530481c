/**
 * Composes a server, until the scope closes: the storage, the telco (those of the settings file,
 * one over HTTP, or simulated with its books in the same storage), the catalogue, webhooks over
 * HTTP, the clock, the services, the HTTP API, and last the worker.
 *
 * They close in the reverse order: answers say that their connections are closed, the worker claims
 * no more jobs, the HTTP API accepts no more requests, current requests and then jobs are finished
 * or released, and last the data directory is unlocked.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Clock, Context, Duration, Effect, type FileSystem, Layer, Redacted, Ref, Scope } from "effect"
import { hostname } from "node:os"
import { resolve } from "node:path"
import { Catalogues, Processes, Services, Settings as Limits, Time, Worker } from "simplan"
import { Clocks, Storage } from "simplan/ports"
import { StandardCatalogue } from "../../catalogue/index.ts"
import { RouteGroups, Routes, Server } from "../../http/index.ts"
import { TelcoHttp } from "../../telco-http/index.ts"
import { TelcoSimulator } from "../../telco-simulator/index.ts"
import { checkUrl, type Destinations, HttpSender } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible, sentence, systemCode } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import { isEmbedded, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Demo from "./Demo.ts"
import type { Greeting } from "./Greeting.ts"
import type { ClockSetting } from "../settings/Texts.ts"
import * as Settings from "../settings/Settings.ts"
import * as Process from "./Process.ts"
import * as Stores from "./Stores.ts"
import * as Telcos from "./Telcos.ts"
import * as Version from "../Version.ts"

/**
 * The business clock of a server. A virtual clock continues at its stored time, or at the later
 * instant of the setting; its start is stored before anything uses it.
 */
const openClock = (
  setting: ClockSetting
): Effect.Effect<
  Layer.Layer<Clocks.BusinessClock, never, Storage.Storage>,
  Storage.StorageError | Storage.Conflict,
  Storage.Storage
> =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const stored = yield* storage.virtualClock
    const machineNow = yield* Clock.currentTimeMillis
    if (setting._tag === "System") {
      if (stored !== null && stored > machineNow) {
        yield* Effect.logWarning("the data have been on a virtual clock that is ahead of this machine", {
          stood: Time.toIso(stored)
        })
      }
      return Clocks.system
    }
    const start = Settings.virtualStart(setting, stored, machineNow)
    if (start !== stored) yield* storage.commit({ clock: start })
    return Clocks.virtual(start)
  })

/** The label of the plan in the greeting. */
const LABEL = "Green"

const telcoOf = (
  { telco, telcoPauses: pauses, telcoTimeoutMillis: timeout }: Settings.Settings,
  telcos: Telcos.Telcos | null
) => {
  if (telcos !== null) return telcos.layer
  return telco === null
    ? TelcoSimulator.layer()
    : TelcoHttp.layer({ url: telco.url, token: telco.key, timeout, pauses })
}

const limitsOf = (settings: Settings.Settings, telcos: Telcos.Telcos | null): Layer.Layer<never> => {
  const { auditRetentionMillis, leaseMillis, retentionMillis, usageRetentionMillis } = settings
  const telcoTimeoutMillis = Math.max(settings.telcoTimeoutMillis, telcos?.leastTimeoutMillis ?? 0)
  const smsLimit =
    settings.smsLimit === "off"
      ? null
      : { messages: settings.smsLimit.requests, windowMillis: Duration.toMillis(settings.smsLimit.window) }
  const quotas = {
    plans: settings.maxPlans,
    regions: settings.maxRegions,
    webhookEndpoints: settings.maxWebhookEndpoints,
    apiKeys: settings.maxApiKeys
  }
  const limits = {
    auditRetentionMillis,
    leaseMillis,
    quotas,
    retentionMillis,
    smsLimit,
    telcoTimeoutMillis,
    usageRetentionMillis
  }
  return Layer.merge(
    Layer.effect(
      Limits.Settings,
      Effect.map(Limits.Settings, (preset) => ({ ...preset, ...limits }))
    ),
    Layer.succeed(Processes.Described, { version: Version.version, host: hostname() })
  )
}

/** Which URLs the settings allow, when an endpoint is made and when a webhook is sent (rule W7). */
const destinations = (settings: Settings.Settings): Destinations.Options => ({
  allowPrivateAddresses: settings.allowPrivateWebhooks,
  httpsOnly: settings.webhookHttpsOnly,
  ports: settings.webhookPorts
})

const sender = (settings: Settings.Settings) =>
  HttpSender.layer({
    ...destinations(settings),
    proxy: settings.webhookProxy,
    names: settings.dnsServers === null ? {} : { servers: settings.dnsServers }
  })

const services = Effect.fnUntraced(function* (settings: Settings.Settings, telcos: Telcos.Telcos | null) {
  const isVirtual = settings.clock._tag === "Virtual"
  // The file of telcos may name a simulator when it is read again.
  const keeps = { books: telcos !== null || settings.telco === null, journal: telcos !== null }
  const stores = yield* Stores.open({ ...settings, keeps }, isVirtual)
  const isAlone = isEmbedded(settings.database) || isVirtual
  const clock = yield* Effect.provideContext(openClock(settings.clock), stores)
  const ports = Layer.mergeAll(
    telcoOf(settings, telcos),
    StandardCatalogue.layer,
    sender(settings),
    NodeCrypto.layer,
    clock
  ).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
  const begun = isAlone ? Layer.provideMerge(Layer.effectDiscard(Worker.takeOver), ports) : ports
  return yield* Layer.build(Layer.provideMerge(Services.layer, begun).pipe(Layer.provide(limitsOf(settings, telcos))))
})

/** How long a stop waits for requests; after that, jobs and the storage need time. */
const DRAIN = "5 seconds"

/** `variables` is the beginning of the names of the listener's settings. */
const unable = ({ cause, host, message, port }: Server.CannotListen, variables: string): CommandFailed => {
  switch (systemCode(cause)) {
    case "EADDRINUSE":
      return impossible(
        `Port ${port} on ${host} is in use: stop what listens there, or set ${variables}_PORT to another port (0 takes any that is free).`
      )
    case "EACCES":
      return impossible(`Port ${port} is not yours to listen on: set ${variables}_PORT to one above 1023.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return impossible(`${host} is no address of this machine: set ${variables}_HOST to one that is.`)
    default:
      return impossible(`${message}.`)
  }
}

// The wildcard address is for listening; a client needs a real one.
const callable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** The folder of the console's files; undefined if there is no console. */
const consoleOf = (settings: Settings.Settings): string | undefined =>
  settings.console ? Routes.consoleFolder() : undefined

/** Whether no telco is a real one. */
const isSimulated = (settings: Settings.Settings, telcos: Routes.Options["telcos"]): boolean =>
  telcos === undefined ? settings.telco === null : [...telcos.values()].every(({ kind }) => kind === "simulator")

/**
 * Listens until the scope closes, with one listener for all, or with one for callers and one for
 * operators. Returns the addresses for clients; `adminUrl` is null if operators have no listener
 * of their own. `leave` is that of `Server`. `ready`: whether the process takes requests. `telcos`:
 * those of the settings file, if there is one.
 */
const listen = Effect.fnUntraced(function* (
  settings: Settings.Settings,
  tokens: Credentials.Tokens,
  ready: Effect.Effect<boolean>,
  telcos: Routes.Options["telcos"]
) {
  const { adminHost, adminPort, host, port } = settings
  // Listeners stop at the same time, so that two of them take no longer than one.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const open = (
    at: { readonly host: string; readonly port: number },
    groups: ReadonlyArray<RouteGroups.Group> | undefined,
    variables: string
  ) =>
    Layer.buildWithScope(
      Server.layer(
        {
          ...at,
          drainTimeout: DRAIN,
          connections: settings.maxConnections,
          connectionsOfAddress: settings.maxConnectionsOfAddress,
          unreadBytes: settings.maxUnreadBytes
        },
        {
          adminToken: Credentials.value(tokens.admin),
          telcoToken: Credentials.value(tokens.telco),
          rateLimit: settings.rateLimit,
          bounds: { requests: settings.maxRequestsPerKey },
          organizationShare: settings.organizationShare,
          trustedProxies: settings.trustedProxies,
          ready,
          groups,
          telcos,
          console: consoleOf(settings),
          consoleReadsOnly: settings.consoleReadsOnly,
          isSimulated: isSimulated(settings, telcos),
          leads: true,
          openId: settings.openId ?? undefined,
          version: Version.version,
          checkUrl: (url) => checkUrl(url, destinations(settings))
        }
      ),
      scope
    ).pipe(
      Effect.map((context) => {
        const { leave, url } = Context.get(context, Server.Server)
        return { leave, url: callable(url) }
      }),
      Effect.catchTag("CannotListen", (error) => unable(error, variables))
    )
  if (adminPort === null) return { ...(yield* open({ host, port }, undefined, "SIMPLAN")), adminUrl: null }
  const callers = yield* open({ host, port }, RouteGroups.callers, "SIMPLAN")
  const operators = yield* open({ host: adminHost, port: adminPort }, RouteGroups.operators, "SIMPLAN_ADMIN")
  return { url: callers.url, adminUrl: operators.url, leave: Effect.andThen(callers.leave, operators.leave) }
})

const demonstration = Effect.fnUntraced(function* (settings: Settings.Settings, telcos: Telcos.Telcos | null) {
  if (!isEmbedded(settings.database)) return null
  const { url } = settings.database
  const kept = yield* Credentials.read
  const demo = yield* Demo.ensure(kept.demos?.[url], telcos === null ? () => true : telcos.isSimulated)
  if (demo === null) return null
  yield* Credentials.change((before) => ({ ...before, demos: { ...before.demos, [url]: demo } }))
  const catalogues = yield* Catalogues.Catalogues
  const { profiles } = yield* catalogues.current
  const fitting = profiles.filter((profile) => profile.label === LABEL)
  const profile = fitting.find(({ regionCode }) => regionCode === "EUROPE") ?? fitting[0]
  // Of the label in the greeting a real telco may have all SIMs.
  const canSubscribe = settings.telcoFile === null
  const iccid = Demo.sims.find(({ label }) => label === LABEL)?.iccid
  const tried = profile === undefined || iccid === undefined ? null : { coverageId: profile.coverageId, iccid }
  return { apiKey: demo.apiKey, tried: canSubscribe ? tried : null }
})

/** Keeps what commands in this directory need, if the server made any of it. */
const keep = ({ adminUrl, demo, tokens, url }: Pick<Greeting, "url" | "adminUrl" | "tokens" | "demo">) => {
  if (tokens.admin._tag !== "Generated" && demo === null) return Effect.void
  const value = (token: Credentials.Token) => (token._tag === "Generated" ? Redacted.value(token.value) : undefined)
  const secrets = { demoKey: demo?.apiKey, adminToken: value(tokens.admin), telcoToken: value(tokens.telco) }
  return Effect.andThen(
    Credentials.writeFiles(secrets),
    Credentials.change(({ adminUrl: _, ...kept }) => ({ ...kept, url, ...(adminUrl !== null && { adminUrl }) }))
  )
}

/**
 * Starts a server. When this returns, it listens. `isProduction`: not with settings that are for
 * trying out.
 */
export const start = (
  settings: Settings.Settings,
  isProduction = false
): Effect.Effect<Greeting, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const telcos = settings.telcoFile === null ? null : yield* Telcos.read(settings.telcoFile, settings.clock)
    const unfit = Settings.unfit(settings, telcos?.simulators ?? [])
    if (isProduction && unfit.length > 0) {
      return yield* impossible(`With --production a server does not start while ${unfit.join("; ")}.`)
    }
    const context = yield* services(settings, telcos)
    if (telcos !== null) yield* Effect.provideContext(telcos.check, context)
    const connected = telcos === null ? undefined : yield* Effect.provideContext(telcos.connected, context)
    const tokens = yield* Credentials.tokensOf(settings)
    if (telcos !== null && tokens.telco._tag !== "Off") yield* telcos.warnOfSharing
    const demo = yield* Effect.provideContext(demonstration(settings, telcos), context)
    // Who waits for the readiness finds the files of the demonstration.
    const ready = yield* Ref.make(false)
    const { adminUrl, leave, url } = yield* Effect.provideContext(
      listen(settings, tokens, Ref.get(ready), connected),
      context
    )
    yield* Effect.addFinalizer(() => Ref.set(ready, false))
    yield* Effect.provideContext(Layer.build(Worker.background), context)
    yield* Effect.provideContext(Layer.build(Processes.background), context)
    if (telcos !== null) {
      yield* Effect.provideContext(Layer.build(Layer.provide(telcos.background, limitsOf(settings, telcos))), context)
      yield* Effect.provideContext(Process.onHangup(telcos.reload), context)
    }
    yield* keep({ url, adminUrl, tokens, demo })
    yield* Ref.set(ready, true)
    yield* Process.onStop(leave)
    const clock = Context.get(context, Clocks.BusinessClock)
    return {
      url,
      adminUrl,
      hasConsole: consoleOf(settings) !== undefined,
      version: Version.version,
      database: withoutPassword(settings.database.url),
      directory: resolve("."),
      telco: telcos?.names ?? settings.telco?.url ?? null,
      virtualNow: clock.set === null ? null : Time.toIso(yield* clock.now),
      tokens,
      demo,
      unfit
    }
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "CommandFailed"
        ? error
        : impossible(`The server cannot start: ${sentence(withoutPassword(error.message || error._tag))}`)
    )
  )

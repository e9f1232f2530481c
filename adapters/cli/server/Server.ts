/**
 * Composes a server, until the scope closes: the storage, the telco (those of the settings file, one over HTTP, or simulated
 * with its books in the same storage), the catalogue, webhooks over HTTP, the clock, the services, the HTTP API, and last the worker.
 *
 * They close in the reverse order: the worker claims no more jobs, the HTTP API accepts no more requests, current requests
 * and then jobs are finished or released, and last the data directory is unlocked.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Clock, Context, Duration, Effect, type FileSystem, Layer, Redacted, Ref, type Scope } from "effect"
import { resolve } from "node:path"
import { Catalogues, Leases, Services, Settings as Limits, Time, Worker } from "simplan"
import { BusinessClock, Storage } from "simplan/ports"
import { StandardCatalogue } from "../../catalogue/index.ts"
import { TelcoHttp } from "../../telco-http/index.ts"
import { TelcoSimulator } from "../../telco-simulator/index.ts"
import * as VirtualClock from "../../virtual-clock/index.ts"
import { HttpSender } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible, sentence } from "../output/CommandFailed.ts"
import * as ClockSetting from "../settings/ClockSetting.ts"
import * as Credentials from "../settings/Credentials.ts"
import { isEmbedded, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Demo from "./Demo.ts"
import type { Greeting } from "./Greeting.ts"
import * as Listener from "./Listener.ts"
import * as Production from "../settings/Production.ts"
import * as SecretFiles from "../settings/SecretFiles.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Signals from "./Signals.ts"
import * as Stores from "./Stores.ts"
import * as Telcos from "./Telcos.ts"
import * as Tokens from "../settings/Tokens.ts"
import * as Version from "../Version.ts"
import * as WebhookSettings from "../settings/WebhookSettings.ts"

/**
 * The business clock of a server. A virtual clock continues at its stored time, or at the later instant of the setting; its start
 * is stored before anything uses it.
 */
const openClock = (
  setting: ClockSetting.ClockSetting
): Effect.Effect<
  Layer.Layer<BusinessClock.BusinessClock, never, Storage.Storage>,
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
      return VirtualClock.system
    }
    const start = ClockSetting.start(setting, stored, machineNow)
    if (start !== stored) yield* storage.commit({ clock: start })
    return VirtualClock.virtual(start)
  })

/** The label of the plan in the greeting. */
const LABEL = "Green"

const telcoOf = ({ telco, telcoTimeoutMillis }: Settings, telcos: Telcos.Telcos | null) => {
  if (telcos !== null) return telcos.layer
  return telco === null
    ? TelcoSimulator.layer()
    : TelcoHttp.layer({ url: telco.url, token: telco.key, timeout: telcoTimeoutMillis })
}

const limitsOf = (settings: Settings, telcos: Telcos.Telcos | null): Layer.Layer<never> => {
  const { auditRetentionMillis, leaseMillis, retentionMillis } = settings
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
  const limits = { auditRetentionMillis, leaseMillis, quotas, retentionMillis, smsLimit, telcoTimeoutMillis }
  return Layer.effect(
    Limits.Settings,
    Effect.map(Limits.Settings, (preset) => ({ ...preset, ...limits }))
  )
}

const services = Effect.fnUntraced(function* (settings: Settings, telcos: Telcos.Telcos | null) {
  const isVirtual = settings.clock._tag === "Virtual"
  const stores = yield* Stores.open({ ...settings, keepsJournal: telcos !== null }, isVirtual)
  const isAlone = isEmbedded(settings.database) || isVirtual
  const clock = yield* Effect.provideContext(openClock(settings.clock), stores)
  const ports = Layer.mergeAll(
    telcoOf(settings, telcos),
    StandardCatalogue.layer,
    HttpSender.layer(WebhookSettings.sender(settings)),
    NodeCrypto.layer,
    clock
  ).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
  const begun = isAlone ? Layer.provideMerge(Layer.effectDiscard(Leases.takeOver), ports) : ports
  return yield* Layer.build(Layer.provideMerge(Services.layer, begun).pipe(Layer.provide(limitsOf(settings, telcos))))
})

const demonstration = Effect.fnUntraced(function* (settings: Settings, telcos: Telcos.Telcos | null) {
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
  return { apiKey: demo.apiKey, coverageId: canSubscribe ? (profile?.coverageId ?? null) : null }
})

/** Keeps what commands in this directory need, if the server made any of it. */
const keep = ({ adminUrl, demo, tokens, url }: Pick<Greeting, "url" | "adminUrl" | "tokens" | "demo">) => {
  if (tokens.admin._tag !== "Generated" && demo === null) return Effect.void
  const value = (token: Tokens.Token) => (token._tag === "Generated" ? Redacted.value(token.value) : undefined)
  const secrets = { demoKey: demo?.apiKey, adminToken: value(tokens.admin), telcoToken: value(tokens.telco) }
  return Effect.andThen(
    SecretFiles.write(secrets),
    Credentials.change(({ adminUrl: _, ...kept }) => ({ ...kept, url, ...(adminUrl !== null && { adminUrl }) }))
  )
}

/** Starts a server. When this returns, it listens. `isProduction`: not with settings that are for trying out. */
export const start = (
  settings: Settings,
  isProduction = false
): Effect.Effect<Greeting, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const telcos = settings.telcoFile === null ? null : yield* Telcos.read(settings.telcoFile, settings.clock)
    const unfit = Production.unfit(settings, telcos?.simulators ?? [])
    if (isProduction && unfit.length > 0) {
      return yield* impossible(`With --production a server does not start while ${unfit.join("; ")}.`)
    }
    const context = yield* services(settings, telcos)
    if (telcos !== null) yield* Effect.provideContext(telcos.check, context)
    const connected = telcos === null ? undefined : yield* Effect.provideContext(telcos.connected, context)
    const tokens = yield* Tokens.of(settings)
    const demo = yield* Effect.provideContext(demonstration(settings, telcos), context)
    // Who waits for the readiness finds the files of the demonstration.
    const ready = yield* Ref.make(false)
    const { adminUrl, url } = yield* Effect.provideContext(
      Listener.listen(settings, tokens, Ref.get(ready), connected),
      context
    )
    yield* Effect.addFinalizer(() => Ref.set(ready, false))
    yield* Effect.provideContext(Layer.build(Worker.background), context)
    if (telcos !== null) {
      yield* Effect.provideContext(Layer.build(telcos.background), context)
      yield* Effect.provideContext(Signals.onHangup(telcos.reload), context)
    }
    yield* keep({ url, adminUrl, tokens, demo })
    yield* Ref.set(ready, true)
    const clock = Context.get(context, BusinessClock.BusinessClock)
    return {
      url,
      adminUrl,
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

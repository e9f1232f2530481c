/**
 * A server composed of its parts, for as long as the scope is open: storage by URL, the telco (over HTTP, or simulated
 * with its books beside the data), the catalogue, webhooks over HTTP, the clock, the services, the HTTP surface, and last
 * the worker.
 *
 * They are closed the other way round: no more work is claimed, nothing new is accepted, requests and then jobs are
 * finished or handed back, and last the data directory is let go.
 */
import { NodeCrypto } from "@effect/platform-node"
import { Context, Effect, type FileSystem, Layer, type Scope } from "effect"
import { resolve } from "node:path"
import { BusinessClock, Catalogues, Leases, Services, Settings as Limits, type Telco, Time, Worker } from "simplan"
import { StandardCatalogue } from "../../catalogue/index.ts"
import { TelcoHttp } from "../../telco-http/index.ts"
import { type Books, TelcoSimulator } from "../../telco-simulator/index.ts"
import { HttpSender } from "../../webhooks-http/index.ts"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import { isEmbedded, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Demo from "./Demo.ts"
import type { Greeting } from "./Greeting.ts"
import * as Listener from "./Listener.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Stores from "./Stores.ts"
import * as Tokens from "../settings/Tokens.ts"
import * as Version from "../Version.ts"
import * as VirtualTime from "./VirtualTime.ts"

/** The label of the SIM that the first commands pick. */
const LABEL = "Green"

const telcoOf = ({ telco, telcoTimeoutMillis }: Settings): Layer.Layer<Telco.Telco, never, Books.Books> =>
  telco === null
    ? TelcoSimulator.layer()
    : TelcoHttp.layer({ url: telco.url, token: telco.key, timeout: telcoTimeoutMillis })

const limitsOf = ({ leaseMillis, telcoTimeoutMillis }: Settings): Layer.Layer<never> =>
  Layer.effect(
    Limits.Settings,
    Effect.map(Limits.Settings, (preset) => ({ ...preset, leaseMillis, telcoTimeoutMillis }))
  )

const services = Effect.fnUntraced(function* (settings: Settings) {
  const isVirtual = settings.clock._tag === "Virtual"
  const stores = yield* Stores.open(settings.database, isVirtual)
  const isAlone = isEmbedded(settings.database) || isVirtual
  const clock = yield* Effect.provideContext(VirtualTime.open(settings.clock), stores)
  const ports = Layer.mergeAll(
    telcoOf(settings),
    StandardCatalogue.layer,
    HttpSender.layer({ allowPrivateAddresses: settings.allowPrivateWebhooks }),
    NodeCrypto.layer,
    clock
  ).pipe(Layer.provideMerge(Layer.succeedContext(stores)))
  const begun = isAlone ? Layer.provideMerge(Layer.effectDiscard(Leases.takeOver), ports) : ports
  return yield* Layer.build(Layer.provideMerge(Services.layer, begun).pipe(Layer.provide(limitsOf(settings))))
})

const demonstration = Effect.fnUntraced(function* (settings: Settings) {
  if (!isEmbedded(settings.database)) return null
  const { url } = settings.database
  const kept = yield* Credentials.read
  const demo = yield* Demo.ensure(kept.demos?.[url])
  if (demo === null) return null
  yield* Credentials.change((before) => ({ ...before, demos: { ...before.demos, [url]: demo } }))
  const catalogues = yield* Catalogues.Catalogues
  const { profiles } = yield* catalogues.current
  const fitting = profiles.filter((profile) => profile.label === LABEL)
  const profile = fitting.find(({ regionCode }) => regionCode === "EUROPE") ?? fitting[0]
  return { apiKey: demo.apiKey, coverageId: profile?.coverageId ?? null }
})

const sentence = (error: { readonly _tag: string; readonly message: string }): string =>
  withoutPassword(error.message || error._tag)
    .replace(/\s*\n\s*/g, " ")
    .replace(/\.?$/, ".")

/** Starts a server; it is listening when this returns what to print. */
export const start = (
  settings: Settings
): Effect.Effect<Greeting, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* services(settings)
    const tokens = yield* Tokens.of(settings)
    const demo = yield* Effect.provideContext(demonstration(settings), context)
    let isStopping = false
    const ready = Effect.sync(() => !isStopping)
    const url = yield* Effect.provideContext(Listener.listen(settings, tokens, ready), context)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isStopping = true
      })
    )
    yield* Effect.provideContext(Layer.build(Worker.background), context)
    const isKept = tokens.admin._tag === "Made" || demo !== null
    if (isKept) yield* Credentials.change((kept) => ({ ...kept, url }))
    const clock = Context.get(context, BusinessClock.BusinessClock)
    return {
      url,
      version: Version.version,
      database: withoutPassword(settings.database.url),
      directory: resolve(Credentials.DIRECTORY),
      telco: settings.telco?.url ?? null,
      virtualNow: clock.set === null ? null : Time.toIso(yield* clock.now),
      tokens,
      demo
    }
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "CommandFailed" ? error : impossible(`The server cannot start: ${sentence(error)}`)
    )
  )

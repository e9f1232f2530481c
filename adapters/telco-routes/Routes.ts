/**
 * The telcos of a settings file, connected, and the one telco that they are to the service.
 */
import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import { Settings as Limits } from "simplan"
import {
  PurchaseLimits,
  Storage,
  Telco,
  TelcoBundles,
  TelcoCapabilities,
  TelcoPorts,
  TelcoPurchases,
  TelcoUsage
} from "simplan/ports"
import { CallGate, Journal } from "../telco-calls/index.ts"
import { TelcoHttp } from "../telco-http/index.ts"
import { Books, SimulatorBundles, TelcoSimulator } from "../telco-simulator/index.ts"
import * as Connected from "./Connected.ts"
import type * as Settings from "./Settings.ts"
import * as Airalo from "./kinds/Airalo.ts"
import * as Es2plus from "./kinds/Es2plus.ts"
import * as EsimAccess from "./kinds/EsimAccess.ts"
import * as EsimGo from "./kinds/EsimGo.ts"
import * as Ocs from "./kinds/Ocs.ts"
import * as Smpp from "./kinds/Smpp.ts"
import * as RoutedTelco from "./RoutedTelco.ts"
import * as Routing from "./Routing.ts"

/** The connected telcos, and what they need beside the port's calls. */
export class Routes extends Context.Service<
  Routes,
  {
    /** By name, in the order of the settings. `replace` changes it in place. */
    readonly telcos: ReadonlyMap<string, Connected.Connected>
    /** Does what the telcos need to be done all the time, until it is interrupted. */
    readonly background: Effect.Effect<never, never, Connected.Services>
    /** Does a bounded share of that, if no process does it all the time. */
    readonly drain: Effect.Effect<void, never, Connected.Services>
    /** How long a call of the port has to be given at least, in milliseconds. */
    readonly leastTimeoutMillis: number
    /**
     * Takes other settings while the service runs. Telcos whose settings are the same stay
     * connected; calls that are under way end where they began. Fails, and changes nothing, if a
     * new telco cannot be connected, lacks what the settings name (`check`), or may take longer for
     * a call than this process gives it.
     */
    readonly replace: (settings: Settings.Settings) => Effect.Effect<void, Connected.CannotConnect>
  }
>()("simplan/TelcoRoutes/Routes") {}

/**
 * How long a telco's adapter needs to find the outcome of a request that had no answer, in
 * milliseconds.
 */
const OUTCOME_CHECK = 5_000

/**
 * How long a call of the port has to be given at least, in milliseconds: a request may time out,
 * and its outcome is checked.
 */
export const leastTimeoutMillis = ({ telcos }: Settings.Settings): number =>
  Math.max(0, ...telcos.map(({ timeoutMillis }) => timeoutMillis + OUTCOME_CHECK))

type Needs = Journal.Journal | Books.Books | Storage.Storage

/** A package that no one has: cancelling what is not there succeeds and changes nothing. */
const UNKNOWN_PACKAGE = "simplan-telco-check"

/** A telco behind a bridge over HTTP, by the contract of `telco-http`. */
const connectHttp = (
  of: Settings.Of<"http">,
  { reportsOf }: RoutedTelco.Identities
): Effect.Effect<Connected.Connected, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { key: token, name, pauses, reportsToken, timeoutMillis: timeout, url } = of
    const context = yield* Layer.build(TelcoHttp.layer({ url, token, timeout, pauses }))
    const limits = { telco: name, concurrency: of.callsAtOnce, callsPerSecond: Number.POSITIVE_INFINITY }
    const telco = (yield* CallGate.make(limits)).around(Context.get(context, Telco.Telco))
    return {
      ...Connected.onlyCalls,
      name,
      kind: "http",
      telco,
      reports: { token: reportsToken, mayReport: reportsOf(name) },
      check: Effect.match(telco.cancelPackage({ packageId: UNKNOWN_PACKAGE, iccid: "0" }), {
        onSuccess: () => [{ what: "bridge", works: true, message: "answers" }],
        onFailure: ({ _tag, message }) => [{ what: "bridge", works: _tag === "Telco.Refused", message }]
      })
    }
  })

/** A simulated telco. All of a service share its books, where packages have ids of their own. */
const connectSimulator = (
  { name }: Settings.Of<"simulator">,
  { reportsOf }: RoutedTelco.Identities
): Effect.Effect<Connected.Connected, never, Books.Books | Scope.Scope> =>
  Effect.map(Layer.build(TelcoSimulator.layer()), (context) => ({
    ...Connected.onlyCalls,
    name,
    kind: "simulator",
    reports: { token: null, mayReport: reportsOf(name) },
    telco: Context.get(context, Telco.Telco),
    seller: { bundles: Effect.succeed(SimulatorBundles.all), balance: Effect.succeed(null) },
    check: Effect.succeed([{ what: "simulator", works: true, message: "is part of this process" }])
  }))

const connect = (
  of: Settings.Telco,
  identities: RoutedTelco.Identities
): Effect.Effect<Connected.Connected, Connected.CannotConnect, Needs | Scope.Scope> => {
  switch (of.kind) {
    case "ocs":
      return Ocs.connect(of, identities)
    case "es2plus":
      return Es2plus.connect(of, identities)
    case "smpp":
      return Smpp.connect(of, identities)
    case "esim-go":
      return EsimGo.connect(of)
    case "esim-access":
      return EsimAccess.connect(of)
    case "airalo":
      return Airalo.connect(of)
    case "simulator":
      return connectSimulator(of, identities)
    case "http":
      return connectHttp(of, identities)
  }
}

const TOO_LONG = "A telco's timeout is longer than calls are given since the start: restart for it"

const together = <R>(effects: ReadonlyArray<Effect.Effect<unknown, never, R>>): Effect.Effect<void, never, R> =>
  Effect.all(effects, { concurrency: "unbounded", discard: true })

/** What the routes of each moment hold purchases to. */
const purchasesOf = (
  routes: ReadonlyArray<Routing.Route>,
  telcos: ReadonlyMap<string, Connected.Connected>
): TelcoPurchases.TelcoPurchases => ({
  limits: (of) => Effect.sync(() => Routing.find(routes, of)?.limits ?? PurchaseLimits.none),
  covers: (of, price) =>
    Effect.suspend(() => {
      const name = Routing.find(routes, of)?.telcos.packages
      const covers = name === undefined ? undefined : telcos.get(name)?.seller?.covers
      return covers === undefined ? Effect.succeed(true) : covers(price)
    })
})

/** What the telcos of each moment sell. */
const bundlesOf = (
  routes: ReadonlyArray<Routing.Route>,
  telcos: ReadonlyMap<string, Connected.Connected>
): TelcoBundles.TelcoBundles => ({
  sellerOf: (of) => Effect.sync(() => Routing.find(routes, of)?.telcos.packages ?? null),
  telcos: Effect.sync(() => [...telcos.values()].flatMap(({ name, seller }) => (seller === undefined ? [] : name))),
  of: (name) =>
    Effect.suspend(
      () =>
        telcos.get(name)?.seller?.bundles ??
        Effect.fail(new Telco.Refused({ message: `The telco ${name} sells no bundles` }))
    )
})

const make = (settings: Settings.Settings) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const storage = yield* Storage.Storage
    // Without the scope of this layer: each telco has one of its own.
    const needs = Context.pick(Journal.Journal, Books.Books, Storage.Storage)(yield* Effect.context<Needs>())
    const { telcoTimeoutMillis } = yield* Limits.Settings
    const ownerOf = RoutedTelco.makeOwners(storage)
    const all = yield* Connected.make([RoutedTelco.ROUTES], ({ routes, telcos }) => {
      const identities = RoutedTelco.makeIdentities({ journal, ownerOf, routes, storage, telcos })
      return (of) => Effect.provide(connect(of, identities), needs)
    })
    const { names, routes, telcos } = all
    yield* all.replace(settings, () => Effect.succeed([]))
    const mostMillis = Math.max(telcoTimeoutMillis, leastTimeoutMillis(settings))
    const connected = Routes.of({
      telcos,
      background: together([Journal.purgeForever(journal, names), all.background]).pipe(Effect.andThen(Effect.never)),
      drain: Effect.suspend(() =>
        together([
          Journal.purgeOnce(journal, names),
          ...[...telcos.values()].flatMap(({ background }) => background?.drain ?? [])
        ])
      ),
      leastTimeoutMillis: leastTimeoutMillis(settings),
      replace: (next) =>
        leastTimeoutMillis(next) > mostMillis
          ? Effect.fail(new Connected.CannotConnect({ message: TOO_LONG }))
          : all.replace(next, lackingOf)
    })
    return Context.make(Routes, connected).pipe(
      Context.add(Telco.Telco, RoutedTelco.make({ journal, ownerOf, routes, telcos })),
      Context.add(TelcoPorts.TelcoTerms, RoutedTelco.makeTerms(routes, telcos)),
      Context.add(TelcoCapabilities.TelcoCapabilities, RoutedTelco.makeCapabilities(journal, routes, telcos)),
      Context.add(TelcoBundles.TelcoBundles, bundlesOf(routes, telcos)),
      Context.add(TelcoPurchases.TelcoPurchases, purchasesOf(routes, telcos)),
      Context.add(TelcoUsage.TelcoUsage, RoutedTelco.makeUsage(journal, telcos))
    )
  })

/**
 * The telcos of these settings as the service's telco, which refuses terms that they do not carry
 * (rule P4).
 */
export const layer = (
  settings: Settings.Settings
): Layer.Layer<Routes | Telco.Telco, Connected.CannotConnect, Journal.Journal | Books.Books | Storage.Storage> =>
  Layer.effectContext(make(settings))

/** How long a start waits for a telco to list what it has. */
const WAIT_LIMIT = "10 seconds"

/** How often a telco that could not be asked at the start is asked again. */
const AGAIN = "1 minute"

const asked = ({ missing, name }: Connected.Connected) =>
  Effect.timeoutOrElse(missing, {
    duration: WAIT_LIMIT,
    orElse: () => Effect.fail(new Telco.Unavailable({ message: `The telco ${name} has not answered in time` }))
  })

const askedLater = (telco: Connected.Connected): Effect.Effect<void> =>
  asked(telco).pipe(
    Effect.retry(Schedule.spaced(AGAIN)),
    Effect.orDie,
    Effect.delay(AGAIN),
    Effect.flatMap((sentences) =>
      sentences.length === 0
        ? Effect.logInfo(`The telco ${telco.name} can be reached, and has what the settings name.`)
        : Effect.forEach(sentences, (sentence) => Effect.logError(`${sentence}.`), { discard: true })
    )
  )

/**
 * What a telco lacks. One that cannot be asked now is asked again until it can, as long as the
 * scope is open.
 */
const lackingOf = (telco: Connected.Connected): Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> =>
  asked(telco).pipe(
    Effect.map((sentences) => sentences.map((sentence) => `${sentence}.`)),
    Effect.catchTag("Telco.Unavailable", ({ message }) =>
      Effect.gen(function* () {
        yield* Effect.logWarning(
          `The telco ${telco.name} cannot be asked for what the settings name; that is tried again: ${message}`
        )
        yield* Effect.forkScoped(askedLater(telco))
        return []
      })
    )
  )

/**
 * Asks each telco for what the settings name. Fails if one lacks something; one that cannot be
 * asked now is asked again until it can, as long as the scope is open.
 */
export const check: Effect.Effect<void, Connected.CannotConnect, Routes | Scope.Scope> = Effect.gen(function* () {
  const { telcos } = yield* Routes
  const sentences = (yield* Effect.forEach(telcos.values(), lackingOf, { concurrency: "unbounded" })).flat()
  if (sentences.length > 0) return yield* new Connected.CannotConnect({ message: sentences.join("\n") })
})

/** Does what the telcos need to be done all the time, as long as the scope is open. */
export const background: Layer.Layer<never, never, Routes | Connected.Services> = Layer.effectDiscard(
  Routes.use(({ background }) => Effect.forkScoped(background))
)

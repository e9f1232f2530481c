/**
 * Telcos that are routed by a settings file (`simplan/telco-routes`), if the layer of the telco
 * has them: their background work runs where the worker runs, and their zones and notifications are
 * served where HTTP is mounted.
 *
 * They are found by their key, so that a host without such telcos loads none of their modules.
 */
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "simplan"
import * as Arguments from "../Arguments.ts"
import type { Options, SmsLimit } from "../Options.ts"
import type { Connected, Routes } from "../../telco-routes/index.ts"

const Routed = Context.Service<Routes.Routes, Routes.Routes["Service"]>(
  "simplan/TelcoRoutes/Routes" satisfies Routes.Routes["key"]
)

type Telcos = Routes.Routes["Service"]["telcos"]

const routed = Effect.serviceOption(Routed)

/** Does what the telcos need to be done all the time, as long as the scope is open. */
export const background: Layer.Layer<never, never, Connected.Services> = Layer.effectDiscard(
  Effect.flatMap(routed, (given) => (Option.isNone(given) ? Effect.void : Effect.forkScoped(given.value.background)))
)

/**
 * Does work that is due, a bounded share of what the telcos need beside it, and then the work that
 * comes of that.
 */
export const drain = <A, E, R>(due: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Connected.Services> =>
  Effect.flatMap(routed, (given) =>
    Option.isNone(given)
      ? due
      : Effect.andThen(Effect.all([due, given.value.drain], { concurrency: "unbounded", discard: true }), due)
  )

const smsLimitOf = (given: "off" | SmsLimit): Settings.Limits["smsLimit"] =>
  given === "off" ? null : { messages: given.messages, windowMillis: Arguments.millis(given.window) ?? 0 }

/**
 * Gives calls the time that the telcos may take, at least `timeoutMillis`, and organizations their
 * quotas and limit of SMS.
 */
export const limits = (
  timeoutMillis = 0,
  { quotas = {}, smsLimit }: Pick<Options, "quotas" | "smsLimit"> = {}
): Layer.Layer<never> =>
  Layer.effect(
    Settings.Settings,
    Effect.map(Effect.all([Settings.Settings, routed]), ([preset, given]) => ({
      ...preset,
      quotas: {
        plans: quotas.plans ?? preset.quotas.plans,
        regions: quotas.regions ?? preset.quotas.regions,
        webhookEndpoints: quotas.webhookEndpoints ?? preset.quotas.webhookEndpoints,
        apiKeys: quotas.apiKeys ?? preset.quotas.apiKeys
      },
      smsLimit: smsLimit === undefined ? preset.smsLimit : smsLimitOf(smsLimit),
      telcoTimeoutMillis: Math.max(
        preset.telcoTimeoutMillis,
        timeoutMillis,
        Option.match(given, { onNone: () => 0, onSome: ({ leastTimeoutMillis }) => leastTimeoutMillis })
      )
    }))
  )

/** The telcos by name; undefined if none are routed. */
export const telcos = (services: Context.Context<never>): Telcos | undefined =>
  Option.getOrUndefined(Option.map(Context.getOption(services, Routed), (routes) => routes.telcos))

/**
 * A telco behind a bridge over HTTP, by the contract of `telco-http`.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Telco } from "simplan/ports"
import { TelcoHttp } from "../../telco-http/index.ts"
import type { Connected } from "../Connected.ts"
import type * as Settings from "../file/Settings.ts"
import * as Guards from "../Guards.ts"

/** A package that nobody has: cancelling what is not there succeeds and changes nothing. */
const UNKNOWN_PACKAGE = "simplan-telco-check"

export const connect = (of: Settings.Http): Effect.Effect<Connected, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { key: token, name, timeoutMillis: timeout, url } = of
    const context = yield* Layer.build(TelcoHttp.layer({ url, token, timeout }))
    const telco = yield* Guards.guarded(of, Context.get(context, Telco.Telco))
    return {
      name,
      kind: "http",
      telco,
      checkTerms: () => Effect.void,
      zones: null,
      notifications: null,
      imsiOf: null,
      check: Effect.match(telco.cancelPackage({ packageId: UNKNOWN_PACKAGE, iccid: "0" }), {
        onSuccess: () => [{ what: "bridge", works: true, message: "answers" }],
        onFailure: ({ _tag, message }) => [{ what: "bridge", works: _tag === "Telco.Refused", message }]
      }),
      missing: Effect.succeed([]),
      background: null
    }
  })

/**
 * A telco written with Promises, as simplan's `Telco` port.
 *
 * A rejection with `Telco.Refused` is final. Any other rejection means that the telco is unavailable, and the call is
 * repeated with the same key.
 */
import { Effect, Layer } from "effect"
import { Telco } from "simplan/ports"

type Port = Telco.Telco["Service"]

type Outcome<Value> = Value extends Effect.Effect<infer A, unknown, unknown> ? Promise<A> : never

/** The calls of the port. Each gets a signal that aborts at its time limit. */
export type PromisedTelco = {
  readonly [Name in keyof Port]: (
    call: Parameters<Port[Name]>[0],
    options: { readonly signal: AbortSignal }
  ) => Outcome<ReturnType<Port[Name]>>
}

const failure = (error: unknown): Telco.Refused | Telco.Unavailable =>
  error instanceof Telco.Refused || error instanceof Telco.Unavailable
    ? error
    : new Telco.Unavailable({ message: error instanceof Error ? error.message : String(error) })

/** The port that makes these calls. */
export const layer = (telco: PromisedTelco): Layer.Layer<Telco.Telco> => {
  const call = <A>(run: (options: { readonly signal: AbortSignal }) => Promise<A>) =>
    Effect.tryPromise({ try: (signal) => run({ signal }), catch: failure })
  return Layer.succeed(Telco.Telco, {
    createPackage: (order) => call((options) => telco.createPackage(order, options)),
    suspendPackage: (of) => call((options) => telco.suspendPackage(of, options)),
    cancelPackage: (of) => call((options) => telco.cancelPackage(of, options)),
    sendSms: (sms) => call((options) => telco.sendSms(sms, options)),
    releaseProfile: (of) => call((options) => telco.releaseProfile(of, options)),
    setMobilePlan: (of) => call((options) => telco.setMobilePlan(of, options))
  })
}

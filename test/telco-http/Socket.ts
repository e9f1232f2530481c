/** A telco port served over the contract on a real socket, and the port again at the other end. */
import { Context, type Duration, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { TelcoHttp, TelcoServer } from "simplan/telco-http"

export const token = Redacted.make("telco-key")

/** Serves the port; gives the address. */
export const serve = (telco: Context.Context<Telco.Telco>) =>
  TelcoServer.listen(
    { host: "127.0.0.1", port: 0 },
    TelcoServer.routes({ token }).pipe(Layer.provide(Layer.succeedContext(telco)))
  )

/** The layer's telco, but over a socket; what else is in the layer comes along. */
export const around = <R, E>(telco: Layer.Layer<Telco.Telco | R, E>, timeout: Duration.Input = "10 seconds") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const behind = yield* Layer.build(telco)
      const url = yield* serve(behind)
      const beside = Context.omit(Telco.Telco)(behind)
      return Layer.merge(TelcoHttp.layer({ url, token, timeout, pauses: true }), Layer.succeedContext(beside))
    })
  )

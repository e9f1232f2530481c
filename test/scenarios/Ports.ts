/**
 * The ports of a service beside its storage, for tests: the simulated telco, the standard
 * catalogue, randomness, a business clock that the test names, and a receiver of webhooks.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer } from "effect"
import { StandardCatalogue } from "simplan/catalogue"
import { type Clocks, WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"

type Send = WebhookSender.WebhookSender["Service"]["send"]

const ok: Send = () => Effect.succeed({ status: 200 })

/** The receiver answers 200 unless `send` says otherwise. */
export const make = <E, R>(
  clock: Layer.Layer<Clocks.BusinessClock, E, R>,
  send: Send = ok,
  telco: TelcoSimulator.Options = {}
) =>
  Layer.mergeAll(
    TelcoSimulator.layerMemory(telco),
    clock,
    StandardCatalogue.layer,
    NodeCrypto.layer,
    Layer.succeed(WebhookSender.WebhookSender, { send })
  )

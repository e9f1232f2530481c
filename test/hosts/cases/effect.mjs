// A host that has `effect` itself: there is one copy, and the host's layers and simplan's mix.
import * as Host from "../Host.mjs"

const program = `
import { Effect, Layer } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Organizations, Services } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { layer as memory } from "simplan/memory"
import { TelcoSimulator } from "simplan/telco-simulator"
import { Clocks, WebhookSender } from "simplan/ports"

const crypto = Layer.merge(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)
const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) })
const ports = Layer.mergeAll(TelcoSimulator.layerMemory(), StandardCatalogue.layer, sender, crypto, Clocks.system)
const services = Services.layer.pipe(Layer.provideMerge(Layer.provideMerge(ports, memory)))
const created = Organizations.Organizations.use((of) => of.create({ name: "Acme" }))
const organization = await Effect.runPromise(Effect.provide(created, services))
console.log(JSON.stringify(organization).includes("Acme"))
`

const copies = (dependencies = {}) =>
  Object.entries(dependencies).flatMap(([name, one]) => [
    ...(name === "effect" ? [one.version] : []),
    ...copies(one.dependencies)
  ])

export const run = (context) => {
  const host = Host.shared(context)
  const { dependencies } = JSON.parse(host.run("npm", ["ls", "effect", "--json", "--all"]))
  Host.expect("The versions of effect", [...new Set(copies(dependencies))].join(", "), "4.1.0")
  host.write("layers.mjs", program)
  Host.expect("The layers mix", host.node("layers.mjs").trim(), "true")
}

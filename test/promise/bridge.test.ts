/**
 * A host of Promises over a telco behind HTTP, which is the simulated one on a socket of its own.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Telco } from "simplan/ports"
import { type Options, type Simplan, createSimplan } from "simplan/promise"
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it, onTestFinished } from "vitest"
import * as Socket from "../telco-http/Socket.ts"
import { foreignUrl, make, selling } from "./World.ts"

const bridged = async () => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const behind = await Effect.runPromise(Layer.buildWithScope(TelcoSimulator.layerMemory(), scope))
  const telco = Context.make(Telco.Telco, Context.get(behind, Telco.Telco))
  const url = await Effect.runPromise(Effect.provideService(Socket.serve(telco), Scope.Scope, scope))
  return { url, simulator: Context.get(behind, TelcoSimulator.TelcoSimulator) }
}

const creating = async (simplan: Simplan) => {
  const { organizationId, planId } = await selling(simplan)
  return () => simplan.subscriptions.create({ organizationId, planId })
}

const open = (telco: Options["telco"]): Simplan => {
  const simplan = make({ telco, logger: false })
  onTestFinished(simplan.close)
  return simplan
}

it.each([
  ["a URL", (url: string) => new URL(url)],
  ["a URL of another realm", foreignUrl]
])("orders packages from the bridge, and has its refusals: %s", async (_, urlOf) => {
  const { simulator, url } = await bridged()
  const create = await creating(open({ url: urlOf(`${url}/`), token: "telco-key" }))
  const { attachmentId, sim } = await create()
  expect(await Effect.runPromise(simulator.packages)).toMatchObject([
    { packageId: `${attachmentId}:0`, iccid: sim.iccid }
  ])
  await Effect.runPromise(simulator.setFaults([{ fault: "refuse", message: "The SIM is barred", times: 1 }]))
  await expect(create()).rejects.toMatchObject({ name: "TelcoRefusedError", message: /The SIM is barred/ })
})

it("is unavailable with a wrong token, which no error shows", async () => {
  const { simulator, url } = await bridged()
  const error = await (await creating(open({ url, token: "a-wrong-token" })))().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: "TelcoUnavailableError", cause: { message: "The telco answers 401" } })
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("a-wrong-token")
  expect(await Effect.runPromise(simulator.packages)).toEqual([])
})

it("gives a call up at its own time limit", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1")
  await once(silent, "listening")
  onTestFinished(async () => {
    silent.closeAllConnections()
    silent.close()
    await once(silent, "close")
  })
  const address = silent.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const create = await creating(open({ url, token: "telco-key", timeout: "50 milliseconds" }))
  await expect(create()).rejects.toMatchObject({ name: "TelcoUnavailableError" })
})

it("is checked at once, and shows no secret", () => {
  const refusal = (telco: object): string => {
    try {
      Reflect.apply(createSimplan, undefined, [{ database: "memory", telco }])
      return ""
    } catch (error) {
      return error instanceof Error ? error.message : ""
    }
  }
  const url = "https://bridge.example/telco"
  expect(refusal({ url })).toBe("createSimplan, telco: token is required")
  expect(refusal({ token: "secret" })).toBe("createSimplan, telco: url is required")
  const address =
    "createSimplan, telco: url must be an address such as https://bridge.example/telco, without a password or a query"
  for (const wrong of ["bridge", "ftp://bridge.example", "https://user:secret@bridge.example", `${url}?key=secret`]) {
    expect(refusal({ url: wrong, token: "secret" })).toBe(address)
  }
  expect(refusal({ url, token: "se cret" })).toBe(
    "createSimplan, telco: token is not one or more printable ASCII characters"
  )
  expect(refusal({ url, token: "secret", timeout: 0 })).toBe(
    "createSimplan, telco: timeout must be longer than nothing"
  )
  expect(refusal({ url, token: "secret", timeOut: 1 })).toBe("createSimplan, telco: timeOut is not known")
})

it("logs why the bridge has taken nothing, though nothing remains to be undone", async () => {
  const warnings: Array<[string, unknown]> = []
  const none = () => undefined
  const warn = (message: string, details?: object) => warnings.push([message, details])
  const unused = createServer().listen(0, "127.0.0.1")
  await once(unused, "listening")
  const address = unused.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  unused.close()
  await once(unused, "close")
  const telco = { url: `http://127.0.0.1:${port}`, token: "telco-key" }
  const simplan = make({ telco, logger: { debug: none, info: none, warn, error: none } })
  onTestFinished(simplan.close)
  const { organizationId, planId } = await selling(simplan)
  await expect(simplan.subscriptions.create({ organizationId, planId })).rejects.toMatchObject({
    name: "TelcoUnavailableError"
  })
  const reason = { answer: expect.stringContaining("ECONNREFUSED"), iccid: "8999900000000010000" }
  expect(warnings).toEqual([["the telco has not taken an order", expect.objectContaining(reason)]])
  const [{ iccid } = { iccid: "" }] = await simplan.sims.list({ organizationId }).toArray()
  await expect(
    simplan.wallet.setMobilePlan({ organizationId, iccid, label: "Green", apply: true })
  ).rejects.toMatchObject({ name: "TelcoUnavailableError" })
  expect(warnings.at(-1)).toEqual(["the telco has not taken a mobile plan", expect.objectContaining(reason)])
})

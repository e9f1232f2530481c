/** The charging system of `examples/charging`: no keys, and answers that can be lost. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"

interface Bundle {
  readonly id: string
  readonly sim: string
  readonly note: string
  stopped: boolean
}

/** What befalls the next call of a kind. */
export type Fault = "lose request" | "lose answer" | "do late" | "refuse"

/** The calls by the operations of the port that they are made for. */
const operations = {
  createPackage: /^POST \/bundles$/,
  suspendPackage: /^POST \/bundles\/[^/]+\/stop$/,
  cancelPackage: /^DELETE /,
  sendSms: /^POST \/texts$/,
  releaseProfile: /^POST \/sims\/[^/]+\/release$/,
  setMobilePlan: /^PUT \/sims\/[^/]+\/roaming$/,
  setService: /^PUT \/sims\/[^/]+\/service$/
} as const

/** An operation of the port. */
export type Operation = keyof typeof operations

/** How late what is done late is done, in milliseconds of machine time. */
const LATE = 100

const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Object.getOwnPropertyDescriptor(body, name)?.value : undefined

const read = async (request: IncomingMessage): Promise<unknown> => {
  let text = ""
  for await (const part of request.setEncoding("utf8")) text += part
  return text === "" ? null : JSON.parse(text)
}

export const make = Effect.gen(function* () {
  const bundles = new Map<string, Bundle>()
  const texts: Array<{ readonly sim: unknown; readonly text: unknown }> = []
  const roaming = new Map<string, unknown>()
  const services = new Map<string, unknown>()
  let made = 0
  let loses: string | null = null
  let next: { readonly fault: Fault; readonly on: RegExp; readonly done: () => void } | null = null

  const act = (method: string, path: string, body: unknown): unknown => {
    const [, kind, id = "", part] = path.split("/")
    const text = (name: string) => String(field(body, name))
    if (kind === "bundles" && method === "DELETE") return bundles.delete(id) ? {} : undefined
    if (kind === "bundles" && part === "stop") {
      const found = bundles.get(id)
      if (found !== undefined) found.stopped = true
      return {}
    }
    if (kind === "bundles") {
      const bundle = { id: `b-${++made}`, sim: text("sim"), note: text("note"), stopped: false }
      bundles.set(bundle.id, bundle)
      return bundle
    }
    if (kind === "texts") return texts.push({ sim: field(body, "sim"), text: field(body, "text") })
    if (part === "roaming") roaming.set(id, field(body, "on"))
    if (part === "service") services.set(id, field(body, "active"))
    return part === "bundles" ? [...bundles.values()].filter(({ sim }) => sim === id) : {}
  }

  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request
    const given = await read(request)
    const befallen = next?.on.test(`${method} ${url}`) === true ? next : null
    if (befallen !== null) next = null
    if (befallen?.fault === "lose request") return void request.socket.destroy()
    if (befallen?.fault === "refuse") return void response.writeHead(422).end("The charging system refuses")
    if (befallen?.fault === "do late") await sleep(LATE)
    const body = act(method, url, given)
    befallen?.done()
    if (befallen?.fault === "lose answer") return void request.socket.destroy()
    if (loses !== null && method !== "GET" && url.startsWith(loses)) {
      loses = null
      request.socket.destroy()
      return
    }
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  })
  // Longer than the client's, so that no idle connection ends here while a call begins on it: that
  // would be a fault that no test has asked for.
  server.keepAliveTimeout = 60_000
  const url = yield* Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  return {
    url,
    /** The next change under a path is done, and its answer lost. */
    lose: (path: string) => {
      loses = path
    },
    /**
     * The next call of an operation goes wrong. What it gives waits until a call that is done late
     * is done.
     */
    fail: (fault: Fault, operation: Operation): Promise<void> =>
      new Promise((done) => {
        next = { fault, on: operations[operation], done }
      }),
    /** How many bundles there are. */
    count: () => bundles.size,
    bundles: (note: string) => [...bundles.values()].filter((one) => one.note === note).length,
    texts: (sim: string, text: string) => texts.filter((one) => one.sim === sim && one.text === text).length,
    roaming: (sim: string) => roaming.get(sim) === true,
    service: (sim: string) => services.get(sim) !== false
  }
})

export type Charging = Effect.Success<typeof make>

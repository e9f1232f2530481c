/** The wholesaler of `examples/wholesale`: orders with notes, and answers that can be lost. */
import { createServer, type IncomingMessage } from "node:http"
import { Effect } from "effect"

export const KEY = "key-of-the-wholesaler"

export interface Bundle {
  readonly order: string
  readonly note: string
  readonly iccid: string
  readonly bytes: number
  used: number
  begun: number | null
  ends: number | null
  state: string
}

interface Order {
  readonly id: string
  readonly note: string
  readonly offer: string
  readonly cents: number
  readonly iccid: string
  readonly code: string
}

/** What befalls the next call of a method and path. */
export type Fault = "request lost" | "answer lost" | "half body"

interface Reply {
  readonly status: number
  readonly body?: unknown
}

const GB = 1_073_741_824

const read = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = ""
  for await (const part of request.setEncoding("utf8")) text += part
  return { ...JSON.parse(text || "{}") }
}

const digit = (digits: string): string =>
  [..."0123456789"].find((last) => {
    const sum = [...(digits + last)]
      .toReversed()
      .map((one, place) => Number(one) * (place % 2 === 0 ? 1 : 2))
      .reduce((total, one) => total + (one > 9 ? one - 9 : one), 0)
    return sum % 10 === 0
  }) ?? "0"

/** A wholesaler of its own, which closes with the scope. */
export const make = Effect.gen(function* () {
  const orders: Array<Order> = []
  const bundles: Array<Bundle> = []
  const faults: Array<{ readonly on: RegExp; readonly fault: Fault }> = []
  const state = { cents: 1_000_000_000 }
  let sold = 0

  const order = ({ iccid, note, offer }: Readonly<Record<string, unknown>>): Reply => {
    if (offer !== "gb-1-7") return { status: 410 }
    if (state.cents < 450) return { status: 402 }
    if (typeof iccid === "string" && !orders.some((one) => one.iccid === iccid)) return { status: 404 }
    state.cents -= 450
    const digits = `89881122${String(++sold).padStart(10, "0")}`
    const own = typeof iccid === "string" ? iccid : digits + digit(digits)
    const made = { id: `o-${sold}`, note: String(note), offer, cents: 450, iccid: own, code: `LPA:1$smdp.test$${sold}` }
    orders.push(made)
    bundles.push({
      ...{ order: made.id, note: made.note, iccid: own, bytes: GB, used: 0, begun: null, ends: null, state: "waiting" }
    })
    return { status: 201, body: made }
  }

  const answer = (method: string, { pathname, searchParams }: URL, body: Readonly<Record<string, unknown>>): Reply => {
    const [, kind, id] = pathname.split("/")
    if (kind === "offers") {
      const offer = { code: "gb-1-7", name: "UK 1 GB", countries: ["GB"], bytes: GB, days: 7, cents: 450 }
      return { status: 200, body: [offer] }
    }
    if (kind === "sims") {
      if (!orders.some(({ iccid }) => iccid === id)) return { status: 404 }
      return { status: 200, body: bundles.filter(({ iccid }) => iccid === id) }
    }
    if (method === "POST") return order(body)
    const note = searchParams.get("note")
    if (id === undefined) return { status: 200, body: orders.filter((one) => one.note.includes(note ?? "")) }
    const found = orders.find((one) => one.id === id)
    if (found === undefined) return { status: 404 }
    if (method === "GET") return { status: 200, body: found }
    const place = bundles.findIndex((one) => one.order === id)
    if (place === -1) return { status: 404 }
    if (bundles[place]?.begun === null) state.cents += found.cents
    bundles.splice(place, 1)
    return { status: 200, body: {} }
  }

  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer(async (request, response) => {
        const { headers, method = "GET", url = "/" } = request
        const at = faults.findIndex(({ on }) => on.test(`${method} ${url}`))
        const fault = at === -1 ? undefined : faults.splice(at, 1)[0]?.fault
        const body = await read(request)
        if (fault === "request lost") return void request.socket.destroy()
        const reply =
          headers.authorization === `Bearer ${KEY}`
            ? answer(method, new URL(url, "http://wholesale.test"), body)
            : { status: 401 }
        if (fault === "answer lost") return void request.socket.destroy()
        const text = JSON.stringify(reply.body ?? {})
        response.writeHead(reply.status, { "content-type": "application/json", "content-length": text.length })
        if (fault === undefined) response.end(text)
        else response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.closeAllConnections()
        made.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    bundles,
    state,
    befall: (on: RegExp, fault: Fault) => void faults.push({ on, fault })
  }
})

export type Wholesale = Effect.Success<typeof make>

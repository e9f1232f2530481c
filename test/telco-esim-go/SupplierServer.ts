/**
 * eSIM Go over HTTP, as its OpenAPI 2.5 has it, or as its guides and examples do where they differ
 * (`Shape`). Answers can be lost, cut, refused and late.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Order, Refusal, stateOf, Supplier, type Options } from "./Supplier.ts"

/** What befalls one call. */
export type Fault =
  /** The connection is cut: before the call is done, or after it; `half`: amid the answer. */
  | { readonly fault: "request lost" | "answer lost" | "half" }
  /** The connection is cut, and the call is done when `settle` is called. */
  | { readonly fault: "late" }
  /** A status in place of the answer; `isDone`: the call is done. */
  | {
      readonly fault: "status"
      readonly status: number
      readonly isDone?: boolean
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** 200, and a body of no use, after the call is done. */
  | { readonly fault: "garbled"; readonly body?: () => string }
  /** The price rises by so many cents just before the call is done. */
  | { readonly fault: "dearer"; readonly cents: number }

/** `openapi`: lists alone, numbers as the schema types them. `examples`: the other form of each. */
export type Shape = "openapi" | "examples"

/** What a call is, such as `POST orders` or `GET esims/:/bundles`. */
export type Operation = string

export interface SupplierServer {
  readonly url: string
  readonly supplier: Supplier
  readonly asked: Array<{ readonly operation: Operation; readonly url: string; readonly body: unknown }>
  /** What befalls the next calls of each operation, in order. */
  readonly faults: Map<Operation, Array<Fault>>
  shape: Shape
  /** Does what is late. */
  readonly settle: () => void
  readonly close: () => Promise<void>
}

export const KEY = "the key of the account"

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly isText?: boolean
}

const iso = (at: number): string => new Date(at).toISOString().replace("Z", "153875Z")

const decimal = (cents: number): number => cents / 100

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Numbers of JSON that JavaScript cannot keep, as they are in the body. */
const written = (body: unknown): string => JSON.stringify(body).replace(/"#(\d+)"/g, "$1")

const operationOf = (method: string, [first = "", second, third]: ReadonlyArray<string>): Operation =>
  [`${method} ${first}`, ...(second === undefined ? [] : [":"]), ...(third === undefined ? [] : [third])].join("/")

const bodyOf = (request: IncomingMessage): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let text = ""
    request.on("data", (part) => (text += part))
    request.on("error", reject)
    request.on("end", () => {
      try {
        resolve(text === "" ? null : JSON.parse(text))
      } catch (error) {
        reject(error)
      }
    })
  })

export interface Starting extends Options {
  readonly shape?: Shape
  /** What befalls a call for which `faults` has nothing. */
  readonly befalls?: (operation: Operation, body: unknown) => Fault | undefined
}

export const start = async (options: Starting): Promise<SupplierServer> => {
  const supplier = new Supplier(options)
  const asked: SupplierServer["asked"] = []
  const faults: SupplierServer["faults"] = new Map()
  const late: Array<() => void> = []

  const isOpenApi = (): boolean => server.shape === "openapi"

  const esimOf = ({ iccid, matchingId }: Pick<Order, "iccid" | "matchingId">) => ({
    iccid: isOpenApi() ? iccid : `#${iccid}`,
    matchingId,
    smdpAddress: isOpenApi() ? "http://smdp.example.com" : "rsp-1234.example.com"
  })

  const orderOf = (order: Order, withIccids: boolean) => ({
    order: [
      {
        ...(withIccids && { esims: [esimOf(order)], iccids: [isOpenApi() ? order.iccid : `#${order.iccid}`] }),
        type: order.type,
        item: order.item,
        quantity: 1,
        subTotal: decimal(order.cents),
        pricePerUnit: decimal(order.cents),
        AllowReassign: false
      }
    ],
    total: isOpenApi() ? decimal(order.cents) : String(decimal(order.cents)),
    currency: supplier.currency,
    status: "completed",
    statusMessage: "Order completed: 1 eSIM assigned",
    orderReference: order.reference,
    [isOpenApi() ? "createDate" : "createdDate"]: iso(order.createdAt),
    assigned: true,
    runningBalance: String(decimal(supplier.balance))
  })

  const orders = (method: string, reference: string | undefined, query: URLSearchParams, body: unknown): Answer => {
    if (method === "GET" && reference !== undefined) {
      const order = supplier.orders.find((one) => one.reference === reference)
      if (order === undefined) throw new Refusal(404, "order not found")
      return { status: 200, body: orderOf(order, true) }
    }
    if (method === "GET") {
      const from = query
        .getAll("createdAt")
        .filter((text) => text.startsWith("gte:"))
        .map((text) => Date.parse(text.slice(4)))
      // A page is made of the list at the time of the first one.
      const page = Number(query.get("page") ?? 1)
      const all = supplier.listed().filter(({ createdAt }) => from.every((time) => createdAt >= time))
      const most = Math.min(10, Number(query.get("limit") ?? 10))
      const rows = all
        .slice((page - 1) * most, page * most)
        .map((order) => orderOf(order, query.get("includeIccids") === "true"))
      return { status: 200, body: isOpenApi() ? rows : { orders: rows.length === 0 ? null : rows } }
    }
    if (!isRecord(body) || !Array.isArray(body.order)) throw new Refusal(400, "order is missing")
    const { assign, order: items, type } = body
    const item: unknown = items[0]
    if (
      !isRecord(item) ||
      typeof item.item !== "string" ||
      item.quantity !== 1 ||
      items.length !== 1 ||
      assign !== true
    ) {
      throw new Refusal(400, "the fake sells one bundle at a time, on an eSIM")
    }
    const iccids = Array.isArray(item.iccids) ? item.iccids : []
    const iccid = typeof iccids[0] === "string" ? iccids[0] : null
    if (type === "validate") {
      const { cents } = supplier.check(item.item, iccid)
      const total = decimal(cents)
      return { status: 200, body: { total, valid: true, currency: supplier.currency, createdDate: iso(supplier.now) } }
    }
    return { status: 200, body: orderOf(supplier.order(item.item, iccid), true) }
  }

  const bundlesOf = (iccid: string) => {
    const all = supplier.assignments(iccid)
    return [...new Set(all.map(({ name }) => name))].map((name) => ({
      name,
      description: `the bundle ${name}`,
      assignments: all
        .filter((one) => one.name === name)
        .map((one) => ({
          id: isOpenApi() ? one.id : Number(one.id),
          callTypeGroup: "data",
          initialQuantity: one.initial,
          remainingQuantity: one.remaining,
          assignmentDateTime: iso(one.assignedAt),
          assignmentReference: one.reference,
          bundleState: isOpenApi() ? stateOf(one, supplier.now) : stateOf(one, supplier.now).toUpperCase(),
          ...(one.startedAt !== null && {
            startTime: iso(one.startedAt),
            endTime: iso(one.startedAt + one.days * 86_400_000)
          }),
          unlimited: false
        }))
    }))
  }

  const esims = (method: string, parts: ReadonlyArray<string>, query: URLSearchParams, body: unknown): Answer => {
    const [iccid = "", what, name = "", , id = ""] = parts
    const esim = supplier.esim(iccid)
    if (what === undefined) {
      const installed = esim.installedAt
      return {
        status: 200,
        body: {
          ...esimOf(esim),
          profileStatus: installed === null ? "Released" : "Installed",
          ...(installed !== null && { firstInstalledDateTime: isOpenApi() ? installed : iso(installed) }),
          state: esim.isDeactivated ? "deactivated" : esim.isSuspended ? "suspended" : "active"
        }
      }
    }
    if (what === "bundles" && method === "GET") {
      const bundles = bundlesOf(iccid)
      return { status: 200, body: { bundles: bundles.length === 0 && !isOpenApi() ? null : bundles } }
    }
    if (what === "bundles" && method === "DELETE") {
      const status = supplier.revoke(iccid, name, id, query.get("refundToBalance") === "true")
      return { status: 200, body: { status } }
    }
    if (what === "history") {
      const actions = esim.history.map(({ at, bundle, name }) => ({ name, bundleName: bundle, date: iso(at) }))
      return { status: 200, body: isOpenApi() ? actions : { actions } }
    }
    if (what === "suspend" && method === "GET") return { status: 200, body: { suspended: esim.isSuspended } }
    if (what === "suspend" && isRecord(body)) {
      return { status: 201, body: { status: supplier.suspend(iccid, body.suspend === true) } }
    }
    if (what === "sms" && isRecord(body)) {
      supplier.send(iccid, String(body.message), String(body.from))
      return { status: 200, body: { status: "sent" } }
    }
    throw new Refusal(404, "")
  }

  const answerOf = (method: string, parts: ReadonlyArray<string>, query: URLSearchParams, body: unknown): Answer => {
    const [first, ...rest] = parts
    if (first === "orders") return orders(method, rest[0], query, body)
    if (first === "esims") return esims(method, rest, query, body)
    if (first === "organisation") {
      const one = { name: "Acme", currency: supplier.currency, balance: decimal(supplier.balance), testCredit: 0 }
      return { status: 200, body: isOpenApi() ? one : { organisations: [one] } }
    }
    if (first === "catalogue") {
      const page = Number(query.get("page") ?? 1)
      const rows = [...supplier.bundles.values()].slice((page - 1) * 2, page * 2).map((bundle) => ({
        name: bundle.name,
        description: `the bundle ${bundle.name}`,
        groups: ["Standard Fixed"],
        countries: [{ name: "United Kingdom", region: "Europe", iso: "GB" }],
        dataAmount: bundle.megaBytes,
        duration: bundle.days,
        speed: ["4G"],
        autostart: false,
        unlimited: false,
        roamingEnabled: [],
        price: decimal(bundle.cents),
        billingType: "FixedCost"
      }))
      return { status: 200, body: isOpenApi() ? rows : { bundles: rows, pageCount: 1 } }
    }
    throw new Refusal(404, "")
  }

  const tried = (...of: Parameters<typeof answerOf>): Answer => {
    try {
      return answerOf(...of)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // Errors of orders are plain text in the schema.
      const isText = of[1][0] === "orders" && isOpenApi()
      return { status: error.status, body: isText ? error.message : { message: error.message }, isText }
    }
  }

  const reply = (response: ServerResponse, { body, isText = false, status }: Answer): void => {
    response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" })
    response.end(isText ? body : written(body))
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = request
    const { pathname, searchParams } = new URL(url, "http://supplier")
    const [, version, ...parts] = pathname.split("/").map(decodeURIComponent)
    const body = await bodyOf(request)
    const operation = operationOf(method, parts)
    asked.push({ operation, url, body })
    if (version !== "v2.5") return reply(response, { status: 404, body: "<html>not found</html>", isText: true })
    if (request.headers["x-api-key"] !== KEY) {
      return reply(response, { status: 403, body: { message: "access denied" } })
    }
    const done = (): Answer => tried(method, parts, searchParams, body)
    const fault = faults.get(operation)?.shift() ?? options.befalls?.(operation, body)
    if (fault === undefined) return reply(response, done())
    if (fault.fault === "request lost") return void request.socket.destroy()
    if (fault.fault === "late") {
      late.push(() => void done())
      return void request.socket.destroy()
    }
    if (fault.fault === "dearer") {
      for (const [name, bundle] of supplier.bundles) {
        supplier.bundles.set(name, { ...bundle, cents: bundle.cents + fault.cents })
      }
      return reply(response, done())
    }
    if (fault.fault === "status") {
      if (fault.isDone === true) done()
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers })
      return void response.end(fault.body ?? '{"message":"the fake says so"}')
    }
    const answer = done()
    if (fault.fault === "answer lost") return void request.socket.destroy()
    if (fault.fault === "garbled") {
      response.writeHead(200, { "content-type": "application/json" })
      return void response.end(fault.body?.() ?? '{"order":')
    }
    const text = written(answer.body)
    response.writeHead(answer.status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    response.write(text.slice(0, Math.ceil(text.length / 2)), () => request.socket.destroy())
  }

  const listener = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "application/json" })
      response.end(JSON.stringify({ message: String(error) }))
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const address: AddressInfo | string | null = listener.address()
  if (address === null || typeof address === "string") throw new Error("the fake has no port")

  const server: SupplierServer = {
    url: `http://127.0.0.1:${address.port}/v2.5`,
    supplier,
    asked,
    faults,
    shape: options.shape ?? "openapi",
    settle: () => {
      for (const done of late.splice(0)) done()
    },
    close: () =>
      new Promise((resolve) => {
        listener.closeAllConnections()
        listener.close(() => resolve())
      })
  }
  return server
}

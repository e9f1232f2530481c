// A fake of the online charging system on a real socket, written from its documents alone:
// `ocs-api`, `doc/v1` and `doc/v2`.
//
// `main.mjs` runs it as a process. Requests are POSTs to `…/main/v1?token=…`, `…/main/v2?token=…`
// and, about the book of usage, `…/as/v1?token=…`. What the documents leave open: a wrong token is
// HTTP 401; two templates may have the same name; a text that is no JSON is code 2.
// `POST /control/<name>` with a JSON body calls the function of that name (see `Fake.d.mts`).
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import * as Books from "./Books.mjs"
import * as Faults from "./Faults.mjs"
import * as Notifications from "./Notifications.mjs"
import * as Operations from "./Operations.mjs"
import { invalid, names, notFound, Refusal } from "./Status.mjs"

const textOf = async (request) => {
  let text = ""
  for await (const part of request.setEncoding("utf8")) text += part
  return text
}

/** The operation of a request, and what it is asked with. */
const requestOf = (text) => {
  let body
  try {
    body = JSON.parse(text)
  } catch {
    throw invalid("The request is no JSON")
  }
  const [operation, ...others] = typeof body === "object" && body !== null ? Object.keys(body) : []
  if (operation === undefined || others.length > 0) throw invalid("The request must have one operation")
  return [operation, body[operation]]
}

const answerWith = (response, status, body = "") => {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
  response.end(body)
}

/** A whole HTTP answer. */
const rawOf = (body) => {
  const content = Buffer.from(body)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n`
  return { head: Buffer.from(head), content, whole: Buffer.concat([Buffer.from(head), content]) }
}

const cutAt = ({ content, head, whole }, at) => {
  if (at === "start") return 0
  if (at === "headers") return head.length
  if (at === "body") return head.length + Math.floor(content.length / 2)
  return Math.min(at, whole.length)
}

/** How many calls the log keeps. */
const LOGGED = 100_000

export const start = async ({
  callsPerSecond = null,
  host = "127.0.0.1",
  listLag = 0,
  mostListed = 1_000,
  now = Date.now,
  path = "/ocs-custo/main",
  port = 0,
  resellerId = 1,
  subscribers = 0,
  timeZone = "UTC",
  token = "ocs-token"
} = {}) => {
  const usagePath = `${path.replace(/\/[^/]*$/, "")}/as/v1`
  const books = Object.assign(Books.make({ now, resellerId }), { listLag, mostListed, timeZone })
  const faults = Faults.make()
  const notifications = Notifications.make()
  const calls = []
  const pending = new Set()
  const starts = []

  const hasRoom = () => {
    if (callsPerSecond === null) return true
    const at = Date.now()
    while (starts.length > 0 && starts[0] <= at - 1_000) starts.shift()
    if (starts.length >= callsPerSecond) return false
    starts.push(at)
    return true
  }

  /** Does a request, and notes it. Gives the text of the answer. */
  const answerTo = (version, text, fault = null) => {
    const call = { at: now(), version, operation: null, request: null, code: 0, fault: fault?.fault ?? null }
    calls.push(call)
    if (calls.length > LOGGED) calls.shift()
    try {
      const [operation, value] = requestOf(text)
      Object.assign(call, { operation, request: value })
      if (fault?.fault === "refuse") throw new Refusal(fault.code, fault.text)
      if (fault?.fault === "traffic_control" || !hasRoom()) throw new Refusal(100)
      const answer = Operations.run(books, version, operation, value)
      call.answer = answer
      return JSON.stringify({ status: { code: 0, msg: "OK" }, ...answer })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      call.code = error.code
      return JSON.stringify({ status: { code: error.code, msg: error.message } })
    }
  }

  /** Notes a request that was lost on its way. */
  const lost = (version, operation, fault) =>
    calls.push({ at: now(), version, operation, request: null, code: null, fault })

  const stopped = new AbortController()
  const later = (millis, work) => {
    const waiting = sleep(millis, undefined, { signal: stopped.signal }).then(work, () => {})
    pending.add(waiting)
    return waiting.finally(() => pending.delete(waiting))
  }

  const answer = async (version, text, response) => {
    const [, operation = "*"] = /^\s*\{\s*"(\w+)"/.exec(text) ?? []
    const fault = faults.take(operation, text)
    const { socket } = response
    const end = (body) => {
      if (socket?.destroyed === true) return
      answerWith(response, 200, body)
    }
    const write = (bytes) => (bytes.length === 0 ? socket.destroy() : socket.end(bytes))
    switch (fault?.fault) {
      case "lose_request":
        lost(version, operation, fault.fault)
        return socket.destroy()
      case "lose_answer": {
        const raw = rawOf(answerTo(version, text, fault))
        return write(raw.whole.subarray(0, cutAt(raw, fault.at)))
      }
      case "late": {
        const done = later(fault.millis, () => answerTo(version, text, fault))
        if (fault.cut === true) return socket.destroy()
        return done.then((body) => body !== undefined && end(body))
      }
      case "slow": {
        const body = answerTo(version, text, fault)
        return later(fault.millis, () => end(body))
      }
      case "twice": {
        const { whole } = rawOf(answerTo(version, text, fault))
        return write(Buffer.concat([whole, whole]))
      }
      case "garbage":
        answerTo(version, text, fault)
        return end('{"status": {"code": ')
      case "http":
        lost(version, operation, fault.fault)
        return answerWith(response, fault.status)
      default:
        return end(answerTo(version, text, fault))
    }
  }

  const subscriberOf = (iccid) => {
    const subscriber = books.subscriber("iccid", iccid)
    if (subscriber === undefined) throw notFound(`No subscriber with the ICCID ${iccid}`)
    return subscriber
  }

  const control = {
    addSubscribers: (of = {}) => books.addSubscribers(of),
    setFaults: (list) => faults.set(list),
    faults: () => faults.left(),
    configureNotifications: (next) => void notifications.configure(next),
    useData: async ({ iccid, ...usage }) => {
      const subscriber = subscriberOf(iccid)
      const charged = books.useData(subscriber, usage)
      await notifications.usage(subscriber, charged)
      return charged.reduce((total, { after, before }) => total + after - before, 0)
    },
    setProfile: async ({ iccid, modification, status }) => {
      const subscriber = subscriberOf(iccid)
      books.setProfile(subscriber, status, modification)
      await notifications.profile(subscriber, status)
    },
    addUsage: ({ iccid, ...usage }) => void books.addUsage(subscriberOf(iccid), usage),
    changePackage: ({ id, ...fields }) => void Object.assign(books.packages.get(id) ?? {}, fields),
    changeTemplate: ({ id, ...fields }) => void Object.assign(books.templates.get(id) ?? {}, fields),
    cut: () => void server.closeAllConnections(),
    /** Waits for what is done late. */
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending)
    },
    books: () => ({
      subscribers: [...books.subscribers.values()],
      templates: [...books.templates.values()],
      packages: [...books.packages.values()],
      messages: books.messages,
      usages: books.usages,
      notifications: notifications.sent,
      calls
    })
  }

  const controlled = async (name, text, response) => {
    if (!Object.hasOwn(control, name)) throw notFound(`There is no control ${name}`)
    const value = await control[name](text === "" ? undefined : JSON.parse(text))
    answerWith(response, 200, JSON.stringify(value ?? null))
  }

  const server = createServer(async (request, response) => {
    try {
      const url = new URL(request.url ?? "/", "http://ocs")
      const text = await textOf(request)
      if (url.pathname.startsWith("/control/")) return await controlled(url.pathname.slice(9), text, response)
      const version = url.pathname === usagePath ? "as" : [1, 2].find((one) => url.pathname === `${path}/v${one}`)
      const status =
        version === undefined
          ? 404
          : request.method !== "POST"
            ? 405
            : url.searchParams.get("token") !== token
              ? 401
              : 200
      if (status === 200) return await answer(version, text, response)
      answerWith(response, status)
    } catch (error) {
      // The request was cut, or a control was wrong.
      if (response.headersSent || !request.complete) return response.destroy()
      answerWith(response, error instanceof Refusal ? 400 : 500, JSON.stringify({ error: String(error) }))
    }
  })
  await new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const origin = `http://${host}:${typeof address === "object" && address !== null ? address.port : port}`
  books.addSubscribers({ count: subscribers })

  return {
    ...control,
    origin,
    url: `${origin}${path}/v1`,
    urlV2: `${origin}${path}/v2`,
    urlUsage: `${origin}${usagePath}`,
    close: async () => {
      stopped.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

export { names as statusNames }
export const { iccidOf } = Books

/**
 * Answers over a connection of Node's HTTP server, to clients that read slowly, and to requests
 * without a connection.
 */
import { once } from "node:events"
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http"
import { connect, Socket } from "node:net"
import { Transform } from "node:stream"
import Fastify from "fastify"
import { afterEach, expect, it, onTestFinished, vi } from "vitest"
import * as NodeAnswer from "../../adapters/promise/http/NodeAnswer.ts"

let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  await (server && once(server, "close"))
})

const CHUNK = 256 * 1024
const CHUNKS = 40

/** An answer of a known content, which is made as fast as it is taken. */
const streamed = (): Response => {
  let left = CHUNKS
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (left === 0) return controller.close()
    left -= 1
    controller.enqueue(new Uint8Array(CHUNK).fill(left))
  }
  return new Response(new ReadableStream({ pull }))
}

/** Gets the answer, with what middleware makes of the response, and returns how many bytes came. */
const received = async (middleware: (response: ServerResponse) => void): Promise<number> => {
  server = createServer((request, response) => {
    middleware(response)
    void NodeAnswer.send(streamed(), request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
  socket.write("GET / HTTP/1.0\r\n\r\n")
  let bytes = 0
  for await (const chunk of socket) bytes += chunk.length
  return bytes
}

it("has one listener for all the times that a response is full", async () => {
  let [waits, most] = [0, 0]
  const counted = (response: ServerResponse) => {
    const write = response.write.bind(response)
    response.write = (chunk: unknown, ...rest: ReadonlyArray<unknown>) => {
      const takesMore: boolean = Reflect.apply(write, response, [chunk, ...rest])
      if (!takesMore) waits += 1
      most = Math.max(most, response.listenerCount("drain"))
      return takesMore
    }
  }
  expect(await received(counted)).toBeGreaterThan(CHUNK * CHUNKS)
  expect(waits).toBeGreaterThan(11)
  expect(most).toBe(1)
})

it("leaves one listener on a stream that middleware has put in the response's place", async () => {
  // As `compression` does: listeners of "drain" go to its stream, from which the response cannot
  // remove them.
  const through = new Transform({ transform: (chunk, _, done) => setImmediate(done, null, chunk) })
  const compressing = (response: ServerResponse) => {
    const [on, write, end] = [response.on.bind(response), response.write.bind(response), response.end.bind(response)]
    const redirected = (event: string, listener: () => void) => {
      if (event === "drain") through.on(event, listener)
      else Reflect.apply(on, response, [event, listener])
      return response
    }
    Object.assign(response, { on: redirected, write: through.write.bind(through), end: through.end.bind(through) })
    through.on("data", (chunk) => void write(chunk))
    through.once("end", () => void end())
  }
  expect(await received(compressing)).toBeGreaterThan(CHUNK * CHUNKS)
  expect(through.listenerCount("drain")).toBe(1)
})

/**
 * Has the timers of answers faked, and counts those that are pending. Other files of the worker may
 * set timers meanwhile: these are not counted. For once in a test.
 */
const timers = () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout]
  const pending = new Set<unknown>()
  // No spies: vitest restores each spy once more at the end of the file, here to the faked timers.
  vi.stubGlobal(
    "setTimeout",
    (callback: (...rest: ReadonlyArray<unknown>) => void, millis?: number, ...rest: ReadonlyArray<unknown>) => {
      const timer = set(() => {
        pending.delete(timer)
        callback(...rest)
      }, millis)
      if (new Error().stack?.includes("NodeAnswer.ts") === true) pending.add(timer)
      return timer
    }
  )
  vi.stubGlobal("clearTimeout", (timer: Parameters<typeof clear>[0]) => {
    pending.delete(timer)
    clear(timer)
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  return () => pending.size
}

/**
 * Gives what ends a request its turns of the event loop. Faked timers do not fire meanwhile: only
 * their owners end them.
 */
const settled = async (pending: () => number) => {
  for (let turn = 0; turn < 100 && pending() > 0; turn++) await new Promise(setImmediate)
}

it.each([
  ["whose body was parsed", (body: string) => body],
  ["whose body nobody reads", undefined]
])("leaves nothing behind of a request that was injected, %s", async (_, parse) => {
  const app = Fastify()
  onTestFinished(() => app.close())
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("text/plain", { parseAs: "string" }, (_, body, done) => done(null, String(body)))
  app.addContentTypeParser("*", (_, __, done) => done(null))
  app.post("/", async ({ raw }, reply) => {
    reply.hijack()
    await NodeAnswer.send(streamed(), raw, reply.raw)
  })
  await app.ready()
  const pending = timers()
  const type = parse === undefined ? "text/csv" : "text/plain"
  const answer = await app.inject({ method: "POST", url: "/", payload: "body", headers: { "content-type": type } })
  expect(answer.rawPayload.byteLength).toBe(CHUNK * CHUNKS)
  await settled(pending)
  expect(pending()).toBe(0)
})

it("leaves nothing behind of a mock that never ends, and breaks off none that cannot be", async () => {
  const pending = timers()
  const mocks = () => {
    const request = Object.defineProperty(new IncomingMessage(new Socket()), "socket", { value: {} })
    return { request, response: Object.defineProperty(new ServerResponse(request), "destroy", { value: undefined }) }
  }
  const { request, response } = mocks()
  await NodeAnswer.send(new Response("answer"), request, response)
  response.emit("finish")
  expect([response.statusCode, request.readableEnded, pending()]).toEqual([200, false, 0])
  const broken = new Response(new ReadableStream({ start: (controller) => controller.error(new Error("no more")) }))
  const other = mocks()
  await NodeAnswer.send(broken, other.request, other.response)
  expect([other.response.writableEnded, pending()]).toEqual([false, 0])
})

/** A client that is answered while it is still sending its body, and the timers of its answer. */
const answeredEarly = async () => {
  const pending = timers()
  const answered = new Promise<void>((resolve) => {
    server = createServer((request, response) => {
      void NodeAnswer.send(new Response(null, { status: 204 }), request, response).then(resolve)
    }).listen(0, "127.0.0.1")
  })
  await once(server ?? createServer(), "listening")
  const address = server?.address()
  const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
  socket.write("POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 10\r\n\r\n12345")
  await answered
  await once(socket, "data")
  return { socket, pending }
}

it("breaks off a connection whose client is still sending 2 s after the answer", async () => {
  const { pending, socket } = await answeredEarly()
  vi.advanceTimersByTime(1_999)
  expect(pending()).toBe(1)
  const closed = once(socket, "close")
  vi.advanceTimersByTime(1)
  await closed
})

it("leaves a connection alone whose client has sent the rest", async () => {
  const { pending, socket } = await answeredEarly()
  expect(pending()).toBe(1)
  socket.write("67890")
  await expect.poll(pending).toBe(0)
})

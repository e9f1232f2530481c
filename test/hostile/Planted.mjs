// Loaded into a server before its own modules, for the test of `npm run test:hostile` itself: a
// fault that requests without a key bring about. They come from other addresses than those of the
// innocent client.
import { Server } from "node:http"

const MEGABYTE = 1_048_576

const held = []
let count = 0

const faults = {
  memory: () => held.push(Buffer.alloc(4 * MEGABYTE, 1)),
  end: () => process.exit(7)
}

const emit = Server.prototype.emit
Server.prototype.emit = function (event, ...given) {
  const [request, response] = given
  if (event === "request") {
    const isHostile = request.socket.remoteAddress !== "127.0.0.1" && request.headers["x-api-key"] === undefined
    if (isHostile) count += 1
    if (isHostile && count > 10) faults[process.env.HOSTILE_PLANTED]?.()
    if (!isHostile && count > 10 && process.env.HOSTILE_PLANTED === "failure") return response.writeHead(500).end("{}")
  }
  return Reflect.apply(emit, this, [event, ...given])
}

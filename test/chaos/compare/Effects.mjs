// The ledger of the effects, outside of every queue: each unit of work is a POST with its id. It
// takes an id as often as it comes, and counts. It is a telco bridge to simplan, whose units are
// packages.
import { once } from "node:events"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

/** How long a unit of work takes, in milliseconds. */
const WORK = 25

export const start = async () => {
  const times = new Map()
  let last = Date.now()
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request.setEncoding("utf8")) body += part
    const { package_id: id } = JSON.parse(body)
    times.set(id, (times.get(id) ?? 0) + 1)
    last = Date.now()
    await sleep(WORK)
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ telco_package_id: id }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** How many units were done, and how many of them more than once. */
    done: () => times.size,
    doubled: () => [...times.values()].filter((count) => count > 1).length,
    /** When the last request came. */
    last: () => last,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** What a worker does for a unit of work; fails where it was not taken. */
export const perform = async (url, id) => {
  const response = await fetch(`${url}/packages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ package_id: id })
  })
  if (!response.ok) throw new Error(`The effect of ${id} was answered ${response.status}`)
  await response.arrayBuffer()
}

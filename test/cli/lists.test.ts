/** Lists read no more of the server's answers than they print. */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()

const servers: Array<Server> = []

const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const at = "2026-01-10T12:00:00.000Z"

// Commas, brackets and quotes in a text are no ends of items, wherever the pieces of the answer
// end.
const metadata = 'order "1", [2], {3}, \\'

const subscription = (number: number) => ({
  subscription_id: `subscription-${number}`,
  created_at: at,
  metadata,
  paused_at: null,
  esim: { esim_id: `esim-${number}`, iccid: `${number}`, lpa_string: null, label: "Green" }
})

/**
 * A list of subscriptions without an end, in pieces of 7 characters, and whether its reader has
 * gone.
 */
const endless = async () => {
  let left: (() => void) | undefined
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve
  })
  const url = await serve((_, response) => {
    let [text, number] = ['{"error":false,"data":[', 0]
    const send = (): void => {
      while (!response.destroyed) {
        if (text.length < 7) text += `${number === 0 ? "" : ","}${JSON.stringify(subscription(++number))}`
        const piece = text.slice(0, 7)
        text = text.slice(7)
        if (!response.write(piece)) return
      }
    }
    response.writeHead(200, { "content-type": "application/json" })
    response.on("drain", send)
    response.on("close", () => left?.())
    send()
  })
  return { url, hasLeft }
}

it("stops reading the subscriptions after as many as are printed, as JSON", async () => {
  const { hasLeft, url } = await endless()
  const { code, err, out } = await simplan([
    "subscriptions",
    "list",
    "--limit",
    "2",
    "--json",
    "--url",
    url,
    "--key",
    "k"
  ])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  const printed = out.trim().split("\n")
  expect(printed.map((line) => JSON.parse(line))).toEqual([subscription(1), subscription(2)])
  await hasLeft
})

it("stops reading the subscriptions after one more than the table shows", async () => {
  const { hasLeft, url } = await endless()
  const outcome = await simplan(["subscriptions", "list", "--limit", "3", "--url", url, "--key", "k"])
  expect(outcome).toMatchObject({ code: 0, err: "These are the first 3: --limit <number> or --all lists more.\n" })
  expect(outcome.out.trim().split("\n")).toHaveLength(4)
  await hasLeft
})

it("prints subscriptions that are as many as the limit, without a word of more", async () => {
  const data = [subscription(1), subscription(2)]
  const url = await serve((_, response) => response.end(JSON.stringify({ error: false, data })))
  const listed = (limit: string) => simplan(["subscriptions", "list", "--limit", limit, "--url", url, "--key", "k"])
  for (const limit of ["2", "3"]) {
    const outcome = await listed(limit)
    expect(outcome).toMatchObject({ code: 0, err: "" })
    expect(outcome.out.trim().split("\n")).toHaveLength(3)
  }
})

it("asks for no page that it does not print", async () => {
  const asked: Array<string> = []
  const url = await serve((request, response) => {
    const size = Number(new URL(request.url ?? "", "http://localhost").searchParams.get("page_size"))
    asked.push(request.url ?? "")
    const data = Array.from({ length: size }, (_, index) => ({
      organization_id: `${asked.length}-${index}`,
      name: "Acme",
      created_at: at
    }))
    response.end(JSON.stringify({ error: false, data, next_page: `after-${asked.length}` }))
  })
  const listed = async (...args: ReadonlyArray<string>) => {
    asked.length = 0
    const { out } = await simplan(["org", "list", ...args, "--url", url, "--token", "t"])
    return { lines: out.trim().split("\n").length, pages: asked.length }
  }
  expect(await listed("--limit", "2")).toEqual({ lines: 3, pages: 1 })
  expect(await listed("--limit", "99")).toEqual({ lines: 100, pages: 1 })
  expect(await listed("--limit", "100", "--json")).toEqual({ lines: 100, pages: 1 })
  expect(await listed("--limit", "150", "--json")).toEqual({ lines: 150, pages: 2 })
})

it("no name that the server sends drives the terminal, and JSON means what it meant", async () => {
  const name = "Ac\u001b[2Jme\u009b31m \u202eevil\u2066 \u200fx\nThere is nothing to do"
  const organization = (id: string) => ({ organization_id: id, name, created_at: at })
  const url = await serve((request, response) => {
    const isList = request.url?.startsWith("/admin/v1/organizations") === true && !request.url.includes("sims")
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" })
    response.end(
      JSON.stringify(
        isList
          ? { error: false, data: [organization("a"), organization("b")], next_page: null }
          : { error: true, message: `There is no ${name}`, code: "sim_not_found" }
      )
    )
  })
  const env = { SIMPLAN_URL: url, SIMPLAN_ADMIN_TOKEN: "a-token-of-this-test" }
  const runs = [
    await simplan(["org", "list"], env),
    await simplan(["org", "list", "--json"], env),
    await simplan(["key", "list"], env),
    await simplan(["sims", "show", "8988303000000000017", "--org", "a"], env),
    await simplan(["sims", "import", name]),
    await simplan([name])
  ]
  for (const { err, out } of runs) {
    expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
    expect(out + err).not.toBe("")
  }
  const [listed, asJson, named] = runs
  expect(listed?.out.split("\n").length).toBe(4)
  expect(
    asJson?.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).name)
  ).toEqual([name, name])
  expect(named?.err).toContain("There are 2 organizations, so name one with --org: a (Ac")
  expect(named?.err.trim().split("\n").length).toBe(1)
})

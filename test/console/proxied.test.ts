/**
 * The console behind a proxy that serves it elsewhere, says so in `X-Forwarded-*`, and adds a policy of its own.
 */
import { createServer, request, type Server } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

/** What helmet sends by default, but for what has browsers ask by TLS, with trusted types. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
  "require-trusted-types-for 'script'"
].join(";")

const PREFIX = "/ops"

const opened = Opened.forFile({ trustedProxies: 1 }, async () => undefined)

let proxy: Server
let url = ""

beforeAll(async () => {
  proxy = createServer((incoming, outgoing) => {
    const { host, ...headers } = incoming.headers
    const forwarded = {
      "x-forwarded-for": incoming.socket.remoteAddress ?? "",
      "x-forwarded-host": host ?? "",
      "x-forwarded-proto": "https"
    }
    const upstream = new URL((incoming.url ?? "/").slice(PREFIX.length), opened.world().url)
    const sent = request(upstream, { method: incoming.method ?? "GET", headers: { ...headers, ...forwarded } })
    sent.on("response", (answer) => {
      const policies = [answer.headers["content-security-policy"] ?? [], POLICY].flat()
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined) outgoing.setHeader(name, value)
      outgoing.setHeader("content-security-policy", policies)
      outgoing.writeHead(answer.statusCode ?? 502)
      answer.pipe(outgoing)
    })
    sent.on("error", () => outgoing.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}${PREFIX}`
})
afterAll(
  () =>
    new Promise((resolve) => {
      proxy.closeAllConnections()
      proxy.close(resolve)
    })
)

it("is signed in to by a cookie for TLS alone, reads and changes, and runs by both policies", async () => {
  const { page, world } = opened
  const context = await page().context().browser()?.newContext()
  if (context === undefined) throw new Error("The page has no browser")
  const there = await context.newPage()
  const complaints: Array<string> = []
  there.on("console", (message) => {
    const isRefusal = message.text().includes("status of 401")
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  there.on("pageerror", (error) => complaints.push(error.message))
  try {
    await there.goto(`${url}/admin/console/`)
    await there.getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
    await there.getByRole("button", { name: "Sign in" }).click()
    await there.getByText("It answers.").waitFor()
    expect(there.url()).toBe(`${url}/admin/console`)
    const [cookie] = await context.cookies(`${url}/admin/v1`)
    expect(cookie).toMatchObject({ secure: true, path: `${PREFIX}/admin/v1`, sameSite: "Strict" })
    await there.getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
    await there.getByRole("button", { name: "Create an organization" }).click()
    await there.getByLabel("Name").fill("Behind a proxy")
    await there.getByRole("dialog").getByRole("button", { name: "Create an organization" }).click()
    await there.getByText("The organization is made.").waitFor()
    const { body } = await world().admin("GET", "/organizations")
    expect(body.data).toMatchObject([{ name: "Behind a proxy" }])
    expect(complaints).toEqual([])
  } finally {
    await context.close()
  }
})

/**
 * The console behind a proxy that serves it elsewhere, says so in `X-Forwarded-*`, and adds a
 * policy of its own.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as World from "../../http/World.ts"
import * as Opened from "../Opened.ts"
import * as Proxy from "./Proxy.ts"

const PREFIX = "/ops"

const opened = Opened.forFile({ trustedProxies: 1 }, async () => undefined)

let proxy: Proxy.Proxy
let url = ""

beforeAll(async () => {
  proxy = await Proxy.start(PREFIX, () => opened.world().url, "https")
  url = `http://127.0.0.1:${proxy.port}${PREFIX}`
})
afterAll(() => proxy?.close())

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

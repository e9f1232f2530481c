/**
 * How the console's page and its files are served.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as Built from "./Built.ts"

let built: Built.Built
let world: World.World

beforeAll(async () => {
  built = Built.make()
  world = await World.start({ console: built.folder })
})
afterAll(async () => {
  await world.close()
  built.remove()
})

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => fetch(url, { headers, redirect: "manual" })

/** The addresses of what the page loads at once. */
const loaded = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/(?:src|href)="(\.[^"]+)"/g), ([, address = ""]) => address)

it("the page may run and load only what this server sends, and nothing frames it", async () => {
  const answer = await get(`${world.url}/admin/console`)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(answer.headers.get("content-security-policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  )
  expect(await answer.text()).not.toMatch(/<style|<script>| style=| on\w+=/)
})

it("the page is asked for again, and its files are kept", async () => {
  const page = await get(`${world.url}/admin/console`)
  expect(page.headers.get("cache-control")).toBe("private, no-cache")
  const tag = page.headers.get("etag") ?? ""
  expect((await get(`${world.url}/admin/console`, { "if-none-match": tag })).status).toBe(304)
  const addresses = loaded(await page.text())
  expect(addresses).toHaveLength(2)
  for (const address of addresses) {
    const file = await get(new URL(address, page.url).href)
    expect(file.status).toBe(200)
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(file.headers.get("content-type")).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
    expect(file.headers.get("x-content-type-options")).toBe("nosniff")
  }
})

it("every file of the build is served as it is, and all are small", async () => {
  const names = readdirSync(join(built.folder, "console/assets"))
  expect(names.length).toBeGreaterThan(5)
  const page = await get(`${world.url}/admin/console`)
  let bytes = gzipSync(Buffer.from(await page.arrayBuffer())).length
  for (const name of names) {
    const content = readFileSync(join(built.folder, "console/assets", name))
    const file = await get(`${world.url}/admin/console/assets/${name}`)
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true)
    bytes += gzipSync(content).length
  }
  // Nothing else is served: what the build has beside the page and these is of the package alone.
  const others = readdirSync(built.folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name))
  expect(others.length - names.length).toBe(2)
  for (const name of ["LICENSES.txt", "console/LICENSES.txt"])
    expect((await get(`${world.url}/admin/${name}`)).status).toBe(404)
  expect(bytes).toBeLessThan(100_000)
})

it("the path with a slash leads to the one without, below a prefix too", async () => {
  const answer = await get(`${world.url}/admin/console/`)
  expect(answer.status).toBe(308)
  expect(new URL(answer.headers.get("location") ?? "", answer.url).href).toBe(`${world.url}/admin/console`)
  const mounted = await World.start({ console: built.folder, prefix: "/esim" })
  try {
    const below = await get(`${mounted.url}/esim/admin/console/`)
    const page = await get(new URL(below.headers.get("location") ?? "", below.url).href)
    expect([page.status, page.url]).toEqual([200, `${mounted.url}/esim/admin/console`])
    for (const address of loaded(await page.text())) {
      expect((await get(new URL(address, page.url).href)).status).toBe(200)
    }
    expect((await get(`${mounted.url}/admin/console`)).status).toBe(404)
  } finally {
    await mounted.close()
  }
})

it("a host's own rules follow the console's, as a file that the policy lets in", async () => {
  const style = ":root { --act: #b3005e }"
  const styled = await World.start({ console: built.folder, consoleStyle: style })
  try {
    const page = await get(`${styled.url}/admin/console`)
    const addresses = loaded(await page.text())
    expect(addresses.at(-1)).toBe("./console/assets/host.css")
    const file = await get(new URL(addresses.at(-1) ?? "", page.url).href)
    expect([await file.text(), file.headers.get("content-type")]).toEqual([style, "text/css; charset=utf-8"])
    expect(page.headers.get("content-security-policy")).toContain("style-src 'self';")
  } finally {
    await styled.close()
  }
  expect((await get(`${world.url}/admin/console/assets/host.css`)).status).toBe(404)
})

it("no other path below it is there, and none is written to", async () => {
  for (const path of [
    "/admin/console/assets",
    "/admin/console/assets/",
    "/admin/console/assets/none.js",
    "/admin/console/assets/..%2F..%2Findex.html",
    "/admin/console/index.html",
    "/admin"
  ]) {
    expect([path, (await get(`${world.url}${path}`)).status]).toEqual([path, 404])
  }
  const written = await fetch(`${world.url}/admin/console`, { method: "POST" })
  expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
})

it("is there only with a folder, and where the management API is", async () => {
  const none = await World.start({})
  const callers = await World.start({ console: built.folder, groups: ["v3", "docs"] })
  const withoutToken = await World.start({ console: built.folder, adminToken: undefined })
  try {
    for (const { url } of [none, callers, withoutToken]) {
      for (const path of ["/admin/console", "/admin/console/"]) expect((await get(`${url}${path}`)).status).toBe(404)
    }
  } finally {
    await Promise.all([none, callers, withoutToken].map(({ close }) => close()))
  }
})

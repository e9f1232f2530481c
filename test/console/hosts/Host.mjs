// A shop with a login and a policy of its own, which mounts the console below /esim. Arguments: the
// built copy's folder, and how many proxies it trusts. It prints its address.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [copy = "", trusted = "0", policy = ""] = process.argv.slice(2)
const { createSimplan, toNodeHandler } = await import(pathToFileURL(join(copy, "dist/adapters/promise/index.js")).href)

/** Who is signed in, by the value of the shop's cookie. */
const sessions = new Map()

const sessionOf = (cookie) => /(?:^|; )shop=([^;]+)/.exec(cookie ?? "")?.[1] ?? ""

const simplan = createSimplan({
  database: "memory",
  telco: "simulator",
  logger: false,
  http: {
    groups: ["v3", "console"],
    trustedProxies: Number(trusted),
    authenticateOperator: async ({ headers }) => sessions.get(sessionOf(headers.get("cookie"))) ?? null
  }
})

/** What browsers have sent to the console to change something: from which site, and of whom. */
const seen = []

const esim = toNodeHandler(simplan)

const LOGIN = `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><form method="post">
  <label>Name <input name="actor"></label> <label>Role <input name="role"></label>
  <label>Organization <input name="organizationId"></label> <button>Log in</button></form>`

const login = async (request, response) => {
  let text = ""
  for await (const chunk of request) text += chunk
  const { organizationId, ...person } = Object.fromEntries(new URLSearchParams(text))
  const session = randomUUID()
  sessions.set(session, { ...person, ...(organizationId && { organizationId }) })
  const cookie = `shop=${session}; HttpOnly; SameSite=Lax; Path=/`
  response.writeHead(303, { "set-cookie": cookie, location: "esim/admin/console" }).end()
}

const server = createServer((request, response) => {
  // As helmet does it: before whatever answers.
  response.setHeader("content-security-policy", policy)
  response.setHeader("referrer-policy", "no-referrer")
  response.setHeader("x-frame-options", "SAMEORIGIN")
  const { pathname } = new URL(request.url, "http://shop")
  if (pathname.startsWith("/esim/")) {
    // As frameworks do it: the handler gets the path below where it is mounted.
    request.originalUrl = request.url
    request.baseUrl = "/esim"
    request.url = request.url.slice("/esim".length)
    const { cookie, "sec-fetch-site": site } = request.headers
    if (request.method === "POST") seen.push([site, sessions.get(sessionOf(cookie))?.actor])
    return esim(request, response)
  }
  if (pathname === "/seen") return response.end(JSON.stringify(seen))
  if (pathname === "/login" && request.method === "POST") return void login(request, response)
  if (pathname === "/login") return response.setHeader("content-type", "text/html").end(LOGIN)
  if (pathname === "/logout" && request.method === "POST") sessions.delete(sessionOf(request.headers.cookie))
  response.end("A shop")
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))

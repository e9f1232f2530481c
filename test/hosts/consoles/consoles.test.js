// The console in each framework, below a prefix, behind the login of the host: a cookie. What a browser asks for is sent by hand,
// with the headers that browsers send.
import assert from "node:assert/strict"
import { once } from "node:events"
import { test } from "node:test"
import { serve } from "@hono/node-server"
import { ExpressAdapter } from "@nestjs/platform-express"
import { FastifyAdapter } from "@nestjs/platform-fastify"
import "reflect-metadata"
import { Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import express from "express"
import express4 from "express-4"
import fastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"
import bodyParser from "koa-bodyparser"
import { createSimplan, toNodeHandler } from "simplan/promise"

/** A policy of the host, which would let the console be framed by its own pages. */
const POLICY = "default-src 'self'; script-src 'self'; frame-ancestors 'self'"

/** Who is signed in, by the values of the host's cookie. */
const sessions = new Map()

/** Signs somebody in; gives the header that sets the cookie. */
const signIn = (actor, role) => {
  sessions.set(`${actor} ${sessions.size}`, { actor, role })
  return `shop=${encodeURIComponent([...sessions.keys()].at(-1))}; HttpOnly; SameSite=Lax; Path=/`
}

const operatorOf = (cookie) => sessions.get(decodeURIComponent(/(?:^|; )shop=([^;]+)/.exec(cookie ?? "")?.[1] ?? ""))

const open = (prefix) =>
  createSimplan({
    database: "memory",
    telco: "simulator",
    http: {
      groups: ["v3", "console"],
      ...(prefix && { prefix }),
      authenticateOperator: async ({ headers }) => operatorOf(headers.get("cookie")) ?? null
    }
  })

const ofExpress = (framework, parsesBefore) => async () => {
  const simplan = open()
  const app = framework()
  app.use((_request, response, next) => {
    response.set("content-security-policy", POLICY)
    next()
  })
  app.post("/login/:actor/:role", (request, response) => {
    response.append("set-cookie", signIn(request.params.actor, request.params.role)).end()
  })
  if (parsesBefore) app.use(framework.json())
  app.use("/esim", toNodeHandler(simplan))
  const server = app.listen(0)
  await once(server, "listening")
  return { simplan, port: server.address().port, close: () => server.close() }
}

const ofFastify = async () => {
  const simplan = open()
  const app = fastify()
  app.addHook("onRequest", async (_request, reply) => void reply.header("content-security-policy", POLICY))
  // Imports are files of CSV, which go on as they are.
  app.addContentTypeParser("text/csv", (_request, _payload, done) => done(null))
  app.post("/login/:actor/:role", async ({ params }, reply) => {
    reply.header("set-cookie", signIn(params.actor, params.role))
    return ""
  })
  app.all("/esim/*", toNodeHandler(simplan))
  return { simplan, port: new URL(await app.listen({ port: 0 })).port, close: () => app.close() }
}

const ofKoa = async () => {
  const simplan = open("/esim")
  const app = new Koa()
  app.use(async (context, next) => {
    context.set("content-security-policy", POLICY)
    const [, actor, role] = /^\/login\/(\w+)\/(\w+)$/.exec(context.path) ?? []
    if (role === undefined) return next()
    context.append("set-cookie", signIn(actor, role))
    context.body = ""
  })
  app.use(bodyParser())
  app.use(toNodeHandler(simplan))
  const server = app.listen(0)
  await once(server, "listening")
  return { simplan, port: server.address().port, close: () => server.close() }
}

class Shop {}
Module({})(Shop)

const ofNest = (Adapter) => async () => {
  const simplan = open()
  const app = await NestFactory.create(Shop, new Adapter(), { logger: false })
  app.use((request, response, next) => {
    response.setHeader("content-security-policy", POLICY)
    const [, actor, role] = /^\/login\/(\w+)\/(\w+)$/.exec(request.originalUrl) ?? []
    if (role === undefined) return next()
    response.setHeader("set-cookie", signIn(actor, role))
    response.end()
  })
  app.use("/esim", toNodeHandler(simplan))
  await app.listen(0)
  return { simplan, port: app.getHttpServer().address().port, close: () => app.close() }
}

const ofHono = async () => {
  const simplan = open("/esim")
  const app = new Hono()
  app.use(async (context, next) => {
    context.header("content-security-policy", POLICY)
    await next()
  })
  app.post("/login/:actor/:role", (context) => {
    const { actor, role } = context.req.param()
    return context.body(null, 200, { "set-cookie": signIn(actor, role) })
  })
  app.all("/esim/*", (context) => simplan.handler(context.req.raw))
  const server = serve({ fetch: app.fetch, port: 0 })
  await once(server, "listening")
  return { simplan, port: server.address().port, close: () => server.close() }
}

const hosts = {
  "Express 5": ofExpress(express),
  "Express 5 behind a body parser": ofExpress(express, true),
  "Express 4": ofExpress(express4),
  Fastify: ofFastify,
  Koa: ofKoa,
  "Nest on Express": ofNest(ExpressAdapter),
  "Nest on Fastify": ofNest(FastifyAdapter),
  Hono: ofHono
}

for (const [name, start] of Object.entries(hosts)) {
  test(`${name} has the console behind its login`, async (context) => {
    const { close, port, simplan } = await start()
    context.after(async () => {
      await close()
      await simplan.close()
    })
    const origin = `http://127.0.0.1:${port}`
    const admin = `${origin}/esim/admin`
    const logIn = async (actor, role) => {
      const answer = await fetch(`${origin}/login/${actor}/${role}`, { method: "POST" })
      return (answer.headers.get("set-cookie") ?? "").split(";")[0]
    }
    const ask = async (method, path, cookie, headers = {}, body = undefined) => {
      const type =
        body === undefined ? {} : { "content-type": typeof body === "string" ? "text/csv" : "application/json" }
      const sent = typeof body === "object" ? JSON.stringify(body) : body
      const answer = await fetch(`${admin}/v1${path}`, { method, headers: { ...type, ...headers, cookie }, body: sent })
      const text = await answer.text()
      return { status: answer.status, data: text === "" ? undefined : JSON.parse(text).data }
    }

    const page = await fetch(`${admin}/console`)
    const html = await page.text()
    assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"])
    assert.match(html, /<meta name="login" content="host">/)
    // Of the host's policy and the console's, whichever is sent lets no script run but the console's own.
    assert.match(page.headers.get("content-security-policy"), /script-src 'self'[;,]/)
    for (const [, file] of html.matchAll(/(?:src|href)="\.\/(console\/assets\/[^"]+)"/g)) {
      const asset = await fetch(`${admin}/${file}`)
      assert.deepEqual([file, asset.status], [file, 200])
      assert.match(asset.headers.get("cache-control"), /immutable/)
      assert.ok((await asset.text()).length > 100)
    }

    assert.equal((await ask("GET", "/whoami", "")).status, 401)
    const [ada, rea] = [await logIn("ada", "admin"), await logIn("rea", "read")]
    assert.deepEqual((await ask("GET", "/whoami", ada)).data.name, "ada")
    assert.equal((await ask("GET", "/organizations", rea)).status, 200)

    const write = async (cookie, headers) =>
      (await ask("POST", "/organizations", cookie, headers, { name: "Acme" })).status
    assert.equal(await write(ada, { origin }), 201)
    assert.equal(await write(ada, { origin, "sec-fetch-site": "same-origin" }), 201)
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin, "sec-fetch-site": "same-site" },
      { origin, "sec-fetch-site": "cross-site" },
      // A host that trusts no proxy takes no word of one.
      { origin: "https://evil.example", "x-forwarded-host": "evil.example" }
    ]) {
      assert.deepEqual([headers, await write(ada, headers)], [headers, 403])
    }
    assert.equal(await write(rea, { origin }), 403)
    assert.equal(await write("", { origin }), 401)

    const [{ organization_id: id }, ...others] = (await ask("GET", "/organizations", ada)).data
    assert.equal(others.length, 1)
    const [entry] = (await ask("GET", `/organizations/${id}/audit`, ada)).data
    assert.deepEqual([entry.actor, entry.action], ["ada", "organization.create"])
    const rows = "iccid,label,is_esim\n8933010000000000018,Green,true\n"
    const imported = await ask("POST", `/organizations/${id}/sims`, ada, { origin }, rows)
    assert.deepEqual([imported.status, imported.data?.imported], [200, 1])
  })
}

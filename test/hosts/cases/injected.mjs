// Requests that come without a connection: injected into Fastify and Express, as events of AWS
// Lambda, and mocks. Each is answered, and the process then ends by itself: nothing of an answer is
// left that could keep it, or fail after it.
import * as Host from "../Host.mjs"

const START = `
import { createSimplan, toNodeHandler } from "simplan/promise"

export const url = "/esim/v3/plans"
export const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, http: { prefix: "/esim" } })
export const handler = toNodeHandler(simplan)
export const organization = await simplan.organizations.create({ name: "Acme" })
const { key } = await simplan.apiKeys.create({ organizationId: organization.organizationId, name: "tests" })
export const headers = { "x-api-key": key, "content-type": "application/json" }
/**
 * Answers by their status and their message, and stops the service: the process has nothing to do
 * from then on.
 */
export const done = async (...answers) => {
  for (const [status, body] of answers) console.log(status, JSON.parse(body).message.slice(0, 23))
  await simplan.close()
}
`

/** What each is answered: the plan lacks fields. */
const REFUSED = "400 coverage_id is required"

const hosts = {
  fastify: `
import fastify from "fastify"
import lambda from "@fastify/aws-lambda"
import { done, handler, headers, url } from "./start.mjs"
const make = () => fastify().all("/esim/*", handler)
const injected = await make().inject({ method: "POST", url, headers, payload: { name: "x" } })
const event = { httpMethod: "POST", path: url, headers, body: '{"name":"x"}', requestContext: {} }
const invoked = await lambda(make())(event, {})
await done([injected.statusCode, injected.body], [invoked.statusCode, invoked.body])
`,
  "light-my-request": `
import express from "express"
import inject from "light-my-request"
import { done, handler, headers, url } from "./start.mjs"
const app = express().use(express.json(), handler)
const answers = []
for (const target of [handler, app]) answers.push(await inject(target, { method: "POST", url, headers, payload: { name: "x" } }))
await done(...answers.map(({ body, statusCode }) => [statusCode, body]))
`,
  "serverless-http": `
import express from "express"
import serverless from "serverless-http"
import { done, handler, headers, url } from "./start.mjs"
const app = express().use(express.json(), handler)
const event = { httpMethod: "POST", path: url, headers, body: '{"name":"x"}', requestContext: { identity: {} } }
const answers = []
for (const target of [handler, app]) answers.push(await serverless(target)(event, {}))
await done(...answers.map(({ body, statusCode }) => [statusCode, body]))
`,
  "node-mocks-http": `
import { EventEmitter } from "node:events"
import mocks from "node-mocks-http"
import { done, handler, headers, url } from "./start.mjs"
const answers = []
for (const options of [{}, { eventEmitter: EventEmitter }]) {
  const request = mocks.createRequest({ method: "POST", url, headers, body: { name: "x" } }, options)
  const response = mocks.createResponse({ req: request, ...options })
  await handler(request, response)
  answers.push([response.statusCode, response._getData()])
}
await done(...answers)
`
}

export const run = (context) => {
  const host = Host.make(context, "injected", {
    dependencies: {
      "@fastify/aws-lambda": "^6.4.0",
      express: "^5.3.0",
      fastify: "^5.12.8",
      "light-my-request": "^6.8.0",
      "node-mocks-http": "^1.18.1",
      "serverless-http": "^4.0.0"
    },
    files: {
      "start.mjs": START,
      ...Object.fromEntries(Object.entries(hosts).map(([name, text]) => [`${name}.mjs`, text]))
    }
  })
  Host.install(host)
  for (const name of Object.keys(hosts)) {
    Host.expect(`${name} prints`, host.node(`${name}.mjs`).trim(), `${REFUSED}\n${REFUSED}`)
  }
}

/**
 * The OpenAPI document describes exactly the served routes, and explains each of their parts with a
 * valid example. The documentation page loads nothing from elsewhere. `npm run lint:openapi` checks
 * the document with Redocly and Spectral.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import { HttpApi, OpenApi } from "effect/http-api"
import { Time } from "simplan"
import { WebhookEvent } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Api, Codes, Document } from "../../adapters/http/index.ts"
import * as Definition from "./Definition.ts"
import * as World from "./World.ts"

const world = await World.forFile()

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of many shapes
type Json = any

const document: Json = Document.document()

const operations: ReadonlyArray<readonly [name: string, operation: Json]> = Object.entries<Json>(
  document.paths
).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)

/** Every value in the document with the path to it. Values of examples are left out. */
const walk = (value: Json, path: string, visit: (value: Json, path: string) => void): void => {
  if (typeof value !== "object" || value === null) return
  visit(value, path)
  for (const [name, part] of Object.entries<Json>(value)) {
    if (!/^(?:examples?|enum|const)$/.test(name) || path.endsWith("/properties")) walk(part, `${path}/${name}`, visit)
  }
}

const problems = (check: (value: Json, path: string) => boolean): ReadonlyArray<string> => {
  const found: Array<string> = []
  walk(document, "", (value, path) => {
    if (check(value, path)) found.push(path)
  })
  return found
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

describe("/openapi.json", () => {
  it("describes exactly the served routes", async () => {
    const { body } = await world.fetch("GET", "/openapi.json")
    const described = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const defined = Definition.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
    expect(described.sort()).toEqual(defined.sort())
    for (const operation of described) {
      const [method = "", path = ""] = operation.split(" ")
      const answer = await world.fetch(
        method,
        path
          .replace("es2plus/{name}", "es2plus/y")
          .replace("suppliers/{name}", "suppliers/z")
          .replace(/\{\w+\}/g, "x")
      )
      expect([operation, answer.body?.code]).not.toEqual([operation, "route_not_found"])
    }
  })

  it("is made group by group, and has what the generator says of the whole definition", async () => {
    const { components, paths } = OpenApi.fromApi(Api)
    const pieces = Object.values(Api.groups).map((group) => OpenApi.fromApi(HttpApi.make("one").add(group)))
    for (const piece of pieces) {
      expect(components.schemas).toMatchObject(piece.components.schemas)
      expect(paths).toMatchObject(piece.paths)
    }
    const namesOf = (records: ReadonlyArray<object>) => [...new Set(records.flatMap(Object.keys))].sort()
    expect(namesOf(pieces.map((piece) => piece.components.schemas))).toEqual(namesOf([components.schemas]))
    expect(namesOf([document.paths])).toEqual(namesOf([paths]))
    expect(await Document.inTurns({})).toEqual(document)
  })

  it("names the security of every route, and one shape of errors", async () => {
    const { body, text } = await world.fetch("GET", "/openapi.json")
    expect(Object.keys(body.components.securitySchemes)[0]).toBe("apiKeyInHeader")
    expect(body.components.securitySchemes.apiKeyInQuery).toMatchObject({ type: "apiKey", in: "query", name: "key" })
    expect(body.paths["/v3/plans"].get.security).toEqual([{ apiKeyInHeader: [] }, { apiKeyInQuery: [] }])
    expect(body.paths["/admin/v1/clock"].get.security).toEqual([{ adminToken: ["read"] }])
    expect(text).not.toMatch(/Error_\d/)
    const references = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect([...references].sort()).toEqual(Object.keys(body.components.schemas).sort())
  })

  it("gives every code a status of errors", () => {
    for (const code of ["key_missing", "plan_not_found", "telco_unavailable"] as const) {
      expect(Codes.status(code)).toBeGreaterThanOrEqual(400)
    }
  })

  it("says where it is served, by whom, and what each group is about", () => {
    expect(document.servers).toHaveLength(1)
    expect(document.info).toMatchObject({ license: { name: "MIT" }, contact: { name: expect.any(String) } })
    for (const { description, name } of document.tags) expect(description, name).not.toBe(name)
  })

  it("describes every operation beyond its summary", () => {
    const bare = operations.filter(([, { description, summary }]) => !isText(description) || description === summary)
    expect(bare.map(([name]) => name)).toEqual([])
  })

  it("describes every parameter, body, answer and field, with an example", () => {
    const isParameter = (path: string) => /\/parameters\/\d+$/.test(path)
    expect(
      problems((one, path) => isParameter(path) && (!isText(one.description) || one.example === undefined))
    ).toEqual([])
    const isField = (path: string) => /\/properties\/\w+$/.test(path)
    expect(problems((one, path) => isField(path) && (!isText(one.description) || one.examples?.length !== 1))).toEqual(
      []
    )
    expect(problems((one, path) => path.endsWith("/requestBody") && !isText(one.description))).toEqual([])
    expect(problems((one, path) => /\/responses\/\d+$/.test(path) && !isText(one.description))).toEqual([])
    const isMedia = (path: string) => /\/content\/[^/]+~?[^/]*$/.test(path.replaceAll("application/", "application~"))
    expect(problems((one, path) => isMedia(path) && one.example === undefined && one.examples === undefined)).toEqual(
      []
    )
  })

  it("has only examples that their schemas take", () => {
    const properties: Record<string, Json> = {}
    const examples: Record<string, Json> = {}
    // Most errors are those of many operations.
    const seen = new Set<string>()
    const add = (name: string, schema: Json, values: ReadonlyArray<unknown>) =>
      values.forEach((value, index) => {
        const content = JSON.stringify([schema, value])
        if (seen.has(content)) return
        seen.add(content)
        properties[`${name} ${index}`] = schema
        examples[`${name} ${index}`] = value
      })
    for (const [name, { parameters, requestBody, responses }] of operations) {
      for (const { example, name: parameter, schema } of parameters) add(`${name} ${parameter}`, schema, [example])
      for (const [status, { content }] of Object.entries<Json>({ ...responses, ...(requestBody && { requestBody }) })) {
        for (const [type, { example, examples, schema }] of Object.entries<Json>(content)) {
          const values = examples === undefined ? [example] : Object.values<Json>(examples).map((one) => one.value)
          add(`${name} ${status} ${type}`, schema, values)
        }
      }
    }
    for (const [type, { post }] of Object.entries<Json>(document.webhooks)) {
      const { example, schema } = post.requestBody.content["application/json"]
      add(type, schema, [example])
    }
    const formats = { "date-time": (text: string) => Time.fromIso(text) !== undefined }
    const ajv = new Ajv2020({ strict: false, formats, logger: false, validateSchema: false, allErrors: true })
    ajv.validate({ components: document.components, properties }, examples)
    expect(ajv.errorsText()).toBe("No errors")
  })

  it("lists the codes of each error status, each with an example", () => {
    const codesIn = (schema: Json): ReadonlyArray<string> => {
      if (schema.anyOf) return schema.anyOf.flatMap(codesIn)
      const named = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "")?.[1]
      if (named !== undefined) return document.components.schemas[named].properties.code.allOf[0].enum
      return schema.allOf[1].properties.code.enum
    }
    for (const [name, { responses }] of operations) {
      for (const [status, { content }] of Object.entries<Json>(responses)) {
        if (Number(status) < 400) continue
        const { examples, schema } = content["application/json"]
        const codes = codesIn(schema)
        expect(codes, `${name} ${status}`).not.toEqual([])
        expect(Object.keys(examples), `${name} ${status}`).toEqual(codes)
        for (const code of codes) {
          expect(Object.entries(Codes.table), `${name} ${code}`).toContainEqual([
            code,
            [Number(status), expect.any(String)]
          ])
        }
      }
    }
  })

  it("says which texts are instants", () => {
    const isInstant = (path: string) => /\/properties\/(?:\w+_at|now|start|to)$/.test(path)
    expect(problems((one, path) => isInstant(path) && !JSON.stringify(one).includes('"date-time"'))).toEqual([])
  })

  it("has a boolean for each parameter that is true or false, and names no scheme of security that it does not have", () => {
    const truths = operations.flatMap(([name, { parameters }]) =>
      parameters
        .filter((one: Json) => one.schema.type === "boolean" || one.schema.enum?.includes("true"))
        .map((one: Json) => [`${name} ${one.name}`, one.schema, typeof one.example])
    )
    expect(truths.length).toBeGreaterThan(20)
    expect(truths.filter(([name]) => / is_esim$/.test(name)).map(([name]) => name)).toEqual([
      "GET /v3/sims is_esim",
      "GET /admin/v1/organizations/{id}/sims is_esim"
    ])
    for (const [name, schema, kind] of truths)
      expect([name, schema, kind]).toEqual([name, { type: "boolean" }, "boolean"])
    const schemes = Object.keys(document.components.securitySchemes)
    for (const [, { security }] of operations) {
      for (const one of security) expect(schemes).toEqual(expect.arrayContaining(Object.keys(one)))
    }
  })

  it("takes an idempotency key exactly where one counts, and pages by the same parameters everywhere", () => {
    const keyed = operations.filter(([, { parameters }]) =>
      parameters.some((one: Json) => one.name === "Idempotency-Key")
    )
    const posts = operations.filter(([name]) => name.startsWith("POST /v3/"))
    // Operators do some of them for an organization. What they do to many changes nothing when it
    // comes again.
    const managed = operations.filter(([name]) =>
      /^POST \/admin\/v1\/organizations\/\{id\}\/(?:subscription(?!s\/actions)|plans|sims\/updates)/.test(name)
    )
    expect(managed).toHaveLength(11)
    expect(keyed.map(([name]) => name)).toEqual([...posts, ...managed].map(([name]) => name))
    for (const [name, { parameters, responses }] of operations) {
      const isPage = JSON.stringify(responses["200"] ?? {}).includes('"next_page":')
      const names = parameters.map((one: Json) => one.name)
      expect([name, names.includes("page"), names.includes("page_size")]).toEqual([name, isPage, isPage])
    }
  })

  it("describes `Idempotent-Replayed` of the answers that are kept under a key", () => {
    for (const [name, { parameters, responses }] of operations) {
      const keyed = parameters.some((one: Json) => one.name === "Idempotency-Key")
      const replayable = Object.entries<Json>(responses).filter(([, { headers }]) => "Idempotent-Replayed" in headers)
      const kept = Object.keys(responses).filter((status) => keyed && /^(?:2..|400|404|409|422)$/.test(status))
      expect([name, replayable.map(([status]) => status)]).toEqual([name, kept])
    }
  })

  it("says of a field that a feature needs when it is required, and that it is a string where it is", () => {
    const { properties } = document.components.schemas.CreatePlan
    const needed = Object.entries<Json>(properties).filter(([name]) => /^(?:nb_|recurring_|throttling_)/.test(name))
    expect(needed).toHaveLength(9)
    for (const [name, { description }] of needed) {
      expect([name, description]).toEqual([
        name,
        expect.stringMatching(/Required where (?:recurring|throttling) is true$/)
      ])
    }
    expect(properties.recurring_periodicity_type.description).toContain('a string: "0" (Daily), "1" (Weekly)')
    expect(properties.throttling_threshold1_limit.description).toContain('a string: one of "128", "256"')
  })

  it("shows the webhook of every type of event", () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...WebhookEvent.types, WebhookEvent.TEST].sort())
    for (const [type, { post }] of Object.entries<Json>(document.webhooks)) {
      expect(post.requestBody.content["application/json"].example.type).toBe(type)
      expect(post.description.startsWith(type), type).toBe(false)
    }
  })
})

describe.each(["/docs", "/docs/reference"])("%s", (path) => {
  it("loads nothing from elsewhere", async () => {
    const { headers, status, text } = await world.fetch("GET", path)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)\s*=/i)
    expect(text).not.toMatch(/@import\s+(?:url\()?["']?https?:/i)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
  })
})

describe("/docs", () => {
  it("explains the concepts, with the states and the seven rules as pictures, and every operation and code", async () => {
    const { text } = await world.fetch("GET", "/docs")
    expect(text.match(/<svg /g)).toHaveLength(8)
    const anchors = [...text.matchAll(/href="#([\w-]+)"/g)].map(([, id = ""]) => id)
    expect(anchors).toContain("active-period")
    for (const id of anchors) expect(text).toContain(`id="${id}"`)
    for (const [name, { operationId }] of operations) {
      expect(text).toContain(`id="${operationId}"`)
      expect(text).toContain(name)
    }
    for (const code of Object.keys(Codes.table)) expect(text).toContain(`<code>${code}</code>`)
    expect(text).not.toMatch(/undefined|\[object Object\]/)
  })
})

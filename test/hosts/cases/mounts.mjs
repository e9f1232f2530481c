// The mounts of the HTTP API, checked by the compiler against the types of the frameworks: in
// strict TypeScript, the oldest that the package supports and the newest. Next.js checks its mount
// in its example, by its own build.
import * as Host from "../Host.mjs"

const COMPILERS = ["typescript-5.7", "typescript"]

const service =
  'import { createSimplan } from "simplan/promise"\n\nexport const simplan = createSimplan({ database: "memory", telco: "simulator" })\n'

/**
 * A module that mounts the service, by what it imports of the framework and what it does with it.
 */
const mounting = (imports, statements) =>
  [
    ...imports,
    'import { toNodeHandler } from "simplan/promise"',
    'import { simplan } from "./service.js"',
    "",
    ...statements,
    ""
  ].join("\n")

const files = {
  "service.ts": service,
  "node.ts": mounting(
    ['import * as Http from "node:http"', 'import * as Https from "node:https"', 'import * as Http2 from "node:http2"'],
    [
      "Http.createServer(toNodeHandler(simplan))",
      "Https.createServer({}, toNodeHandler(simplan))",
      "Http2.createSecureServer({ allowHTTP1: true }, toNodeHandler(simplan))",
      "// @ts-expect-error: the handler of web requests",
      "Http.createServer(simplan.handler)"
    ]
  ),
  "express.ts": mounting(
    ['import express from "express"'],
    [
      "const app = express()",
      'app.use("/esim", toNodeHandler(simplan))',
      "app.use(express.json(), toNodeHandler(simplan))",
      'app.all("/esim/*path", toNodeHandler(simplan))',
      'express.Router().use("/esim", toNodeHandler(simplan))'
    ]
  ),
  "fastify.ts": mounting(
    ['import fastify from "fastify"'],
    [
      "const app = fastify()",
      'app.all("/esim/*", toNodeHandler(simplan))',
      'app.route({ method: ["GET", "POST"], url: "/*", handler: toNodeHandler(simplan) })',
      "app.register(async (scope) => {",
      '  scope.all("/esim/*", { config: {} }, toNodeHandler(simplan))',
      "})"
    ]
  ),
  "koa.ts": mounting(['import Koa from "koa"'], ["new Koa().use(toNodeHandler(simplan))"]),
  "nest.ts": mounting(
    [
      'import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common"',
      'import { NestFactory } from "@nestjs/core"',
      'import type { NestExpressApplication } from "@nestjs/platform-express"'
    ],
    [
      "@Module({})",
      "class Shop implements NestModule {",
      "  configure(consumer: MiddlewareConsumer) {",
      '    consumer.apply(toNodeHandler(simplan)).forRoutes("esim")',
      "  }",
      "}",
      "const app = await NestFactory.create<NestExpressApplication>(Shop)",
      'app.use("/esim", toNodeHandler(simplan))'
    ]
  ),
  "hono.ts": [
    'import { Hono } from "hono"',
    'import { simplan } from "./service.js"',
    "",
    "const app = new Hono()",
    'app.all("/esim/*", (context) => simplan.handler(context.req.raw))',
    'app.all("/host/*", (context) => simplan.handler(context.req.raw, context))',
    'app.mount("/mounted", simplan.handler)',
    ""
  ].join("\n")
}

const compilerOptions = {
  exactOptionalPropertyTypes: true,
  experimentalDecorators: true,
  lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  module: "node16",
  moduleResolution: "node16",
  noEmit: true,
  noUncheckedIndexedAccess: true,
  // The frameworks' own declarations are theirs.
  skipLibCheck: true,
  strict: true,
  target: "ES2022",
  types: ["node"]
}

export const run = (context) => {
  const host = Host.make(context, "mounts", {
    dependencies: {
      "@nestjs/common": "^11.1.0",
      "@nestjs/core": "^11.1.0",
      "@nestjs/platform-express": "^11.1.0",
      "@types/express": "^5.0.0",
      "@types/koa": "^3.0.0",
      "@types/node": "22.19.3",
      express: "^5.3.0",
      fastify: "^5.12.8",
      hono: "^4.13.19",
      koa: "^3.3.0",
      "reflect-metadata": "^0.2.2",
      rxjs: "^7.8.2",
      typescript: "7.0.2",
      "typescript-5.7": "npm:typescript@5.7.3"
    },
    files: { ...files, "tsconfig.json": JSON.stringify({ compilerOptions, files: Object.keys(files) }) }
  })
  Host.install(host)
  for (const compiler of COMPILERS) host.node(`node_modules/${compiler}/bin/tsc`, "-p", "tsconfig.json")
}

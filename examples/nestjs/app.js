// A shop in NestJS, on Express or on Fastify, with the eSIM API below /esim, and the console for its staff. It is written without
// decorators, so that it runs without a compiler.
import "reflect-metadata"
import { Controller, Get, Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { toNodeHandler } from "simplan/promise"
import * as Staff from "./staff.js"

class Shop {
  front() {
    return "A shop"
  }
}
Controller()(Shop)
Get()(Shop.prototype, "front", Object.getOwnPropertyDescriptor(Shop.prototype, "front"))

class ShopModule {}
Module({ controllers: [Shop] })(ShopModule)

/** The application on the platform of an adapter. Nest's own body parsers stay as they are. */
export const createApp = async (simplan, adapter) => {
  const app = await NestFactory.create(ShopModule, adapter, { logger: false })
  app.use("/esim/admin", Staff.only)
  app.use("/esim", toNodeHandler(simplan))
  return app
}

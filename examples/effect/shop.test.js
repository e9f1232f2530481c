import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { Effect, ManagedRuntime } from "effect"
import { Organizations } from "simplan"
import * as Database from "./Database.js"
import { Customers, layer } from "./shop.js"

let database
let runtime

before(async () => {
  database = await Database.create()
  runtime = ManagedRuntime.make(layer(database.url))
})

after(async () => {
  await runtime?.dispose()
  await database?.drop()
})

const signUp = (email, name) => Customers.use((customers) => customers.signUp({ email, name }))

const names = Organizations.Organizations.use((organizations) =>
  Effect.map(organizations.page({ after: null, limit: 10 }), ({ items }) => items.map(({ name }) => name))
)

test("a customer and the organization commit together", async () => {
  const organizationId = await runtime.runPromise(signUp("ann@example.com", "Ann"))
  const organization = await runtime.runPromise(
    Organizations.Organizations.use((organizations) => organizations.get({ organizationId }))
  )
  assert.equal(organization.name, "Ann")
})

test("a customer that the shop cannot store leaves no organization", async () => {
  const error = await runtime.runPromise(Effect.flip(signUp("ann@example.com", "Ann again")))
  assert.equal(error._tag, "SqlError")
  assert.deepEqual(await runtime.runPromise(names), ["Ann"])
})

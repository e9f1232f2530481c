// A shop in Effect. Its service stands beside simplan's on one database, and shares transactions with them.
import { Context, Effect, Layer } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { SqlClient } from "effect/sql"
import { Organizations, Services } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { Clocks, WebhookSender } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { TelcoSimulator } from "simplan/telco-simulator"

/** The customers of the shop. Each one is an organization of simplan. */
export class Customers extends Context.Service()("shop/Customers") {}

const customers = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const organizations = yield* Organizations.Organizations
    yield* sql`create table if not exists customers (organization_id text primary key, email text not null unique)`
    return {
      /** Stores the customer and the organization in one transaction: both, or neither. */
      signUp: Effect.fn("Customers.signUp")(
        function* ({ email, name }) {
          const { organizationId } = yield* organizations.create({ name })
          yield* sql`insert into customers (organization_id, email) values (${organizationId}, ${email})`
          return organizationId
        },
        (effect) => sql.withTransaction(effect)
      )
    }
  })
)

const ports = Layer.mergeAll(
  TelcoSimulator.layerMemory(),
  StandardCatalogue.layer,
  Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) }),
  SecureRandom.layerWebCrypto,
  Digest.layerWebCrypto,
  Clocks.system
)

/** The shop's services and simplan's, over one PostgreSQL. */
export const layer = (url) =>
  customers.pipe(
    Layer.provideMerge(Services.layer),
    Layer.provideMerge(ports),
    Layer.provideMerge(Postgres.layer({ url }))
  )

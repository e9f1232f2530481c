// An order with its eSIM in one transaction of Knex.
import createKnex from "knex"
import { fromKnex } from "simplan/promise"

export const connect = (url) => {
  const knex = createKnex({ client: "pg", connection: url })
  return {
    order: (simplan, esim, check) =>
      knex.transaction(async (trx) => {
        const { id } = await simplan.within(fromKnex(trx)).subscriptions.create(esim)
        await trx("orders").insert({ esim: id })
        await check()
        return id
      }),
    close: () => knex.destroy()
  }
}

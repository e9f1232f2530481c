// An order with its eSIM, and a letter about an event, each in a transaction of Knex.
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
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        { ...options, transaction: (work) => knex.transaction((trx) => work(fromKnex(trx), trx)) },
        async ({ data }, { client }) => {
          await client("letters").insert({ esim: data.id })
          await check()
        }
      ),
    close: () => knex.destroy()
  }
}

// An order with its eSIM, and a letter about an event, each in a transaction of postgres.js.
import postgres from "postgres"
import { fromPostgresJs } from "simplan/promise"

export const connect = (url) => {
  const sql = postgres(url)
  return {
    order: (simplan, esim, check) =>
      sql.begin(async (transaction) => {
        const { id } = await simplan.within(fromPostgresJs(transaction)).subscriptions.create(esim)
        await transaction`insert into orders (esim) values (${id})`
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        {
          ...options,
          transaction: (work) => sql.begin((transaction) => work(fromPostgresJs(transaction), transaction))
        },
        async ({ data }, { client }) => {
          await client`insert into letters (esim) values (${data.id})`
          await check()
        }
      ),
    close: () => sql.end()
  }
}

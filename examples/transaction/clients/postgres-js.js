// An order with its eSIM in one transaction of postgres.js.
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
    close: () => sql.end()
  }
}

// An order with its eSIM, and a letter about an event, each in a transaction of TypeORM.
import { fromTypeOrm } from "simplan/promise"
import { DataSource } from "typeorm"

export const connect = (url) => {
  const dataSource = new DataSource({ type: "postgres", url })
  const opened = dataSource.initialize()
  return {
    order: async (simplan, esim, check) => {
      await opened
      return dataSource.transaction(async (manager) => {
        const { id } = await simplan.within(fromTypeOrm(manager)).subscriptions.create(esim)
        await manager.query("insert into orders (esim) values ($1)", [id])
        await check()
        return id
      })
    },
    letters: async (simplan, options, check) => {
      await opened
      await simplan.on(
        "command.done",
        { ...options, transaction: (work) => dataSource.transaction((manager) => work(fromTypeOrm(manager), manager)) },
        async ({ data }, { client }) => {
          await client.query("insert into letters (esim) values ($1)", [data.id])
          await check()
        }
      )
    },
    close: () => opened.then(() => dataSource.destroy())
  }
}

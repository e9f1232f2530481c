// An order with its eSIM, and a letter about an event, each in a transaction of Sequelize.
import { Sequelize } from "sequelize"
import { fromSequelize } from "simplan/promise"

export const connect = (url) => {
  const sequelize = new Sequelize(url, { logging: false })
  return {
    order: (simplan, esim, check) =>
      sequelize.transaction(async (transaction) => {
        const { id } = await simplan.within(fromSequelize(transaction)).subscriptions.create(esim)
        await sequelize.query("insert into orders (esim) values ($1)", { bind: [id], transaction })
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        {
          ...options,
          transaction: (work) => sequelize.transaction((transaction) => work(fromSequelize(transaction), transaction))
        },
        async ({ data }, { client: transaction }) => {
          await sequelize.query("insert into letters (esim) values ($1)", { bind: [data.id], transaction })
          await check()
        }
      ),
    close: () => sequelize.close()
  }
}

// An order with its eSIM, and a letter about an event, each in a transaction of MikroORM.
import { EntitySchema, MikroORM } from "@mikro-orm/postgresql"
import { fromMikroOrm } from "simplan/promise"

const Order = new EntitySchema({
  name: "Order",
  tableName: "orders",
  properties: { esim: { type: "string", primary: true } }
})

const Letter = new EntitySchema({
  name: "Letter",
  tableName: "letters",
  properties: { id: { type: "integer", primary: true }, esim: { type: "string" } }
})

export const connect = (url) => {
  const opened = MikroORM.init({ clientUrl: url, entities: [Order, Letter] })
  return {
    order: async (simplan, esim, check) => {
      const orm = await opened
      return orm.em.fork().transactional(async (em) => {
        const { id } = await simplan.within(fromMikroOrm(em)).subscriptions.create(esim)
        em.create(Order, { esim: id })
        await em.flush()
        await check()
        return id
      })
    },
    letters: async (simplan, options, check) => {
      const orm = await opened
      await simplan.on(
        "command.done",
        { ...options, transaction: (work) => orm.em.fork().transactional((em) => work(fromMikroOrm(em), em)) },
        async ({ data }, { client: em }) => {
          em.create(Letter, { esim: data.id })
          await em.flush()
          await check()
        }
      )
    },
    close: () => opened.then((orm) => orm.close())
  }
}

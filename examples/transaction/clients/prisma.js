// An order with its eSIM, and a letter about an event, each in an interactive transaction of Prisma 7, which is on pg.
// `prisma generate` writes ../generated.
import { PrismaPg } from "@prisma/adapter-pg"
import { fromPrisma } from "simplan/promise"
import { PrismaClient } from "../generated/index.js"

export const connect = (url) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  return {
    order: (simplan, esim, check) =>
      prisma.$transaction(async (tx) => {
        const { id } = await simplan.within(fromPrisma(tx)).subscriptions.create(esim)
        await tx.order.create({ data: { esim: id } })
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        { ...options, transaction: (work) => prisma.$transaction((tx) => work(fromPrisma(tx), tx)) },
        async ({ data }, { client }) => {
          await client.letter.create({ data: { esim: data.id } })
          await check()
        }
      ),
    close: () => prisma.$disconnect()
  }
}

const { createSimplan } = require("simplan/promise")

const main = async () => {
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false })
  const { name } = await simplan.organizations.create({ name: "Acme" })
  const { NotFoundError } = await import("simplan/promise")
  console.log(name, NotFoundError === require("simplan/promise").NotFoundError)
  await simplan.close()
}

main()

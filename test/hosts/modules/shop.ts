import { createSimplan, type Organization } from "simplan/promise"
import { verify } from "simplan/webhooks"

const main = async (): Promise<void> => {
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false })
  const organization: Organization = await simplan.organizations.create({ name: "Acme" })
  console.log(organization.name, typeof verify)
  await simplan.close()
}

void main()

/**
 * Organizations.
 */
import { Effect, Schema } from "effect"
import { Organizations } from "simplan"
import type { Organization } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import * as Pages from "../Pages.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Organizations.ts"

const shape = ({ createdAt, name, organizationId }: Organization.Organization): Types.Organization => ({
  organizationId,
  name,
  createdAt: Arguments.toDate(createdAt)
})

const creation = Arguments.decoder(Schema.Struct({ name: Arguments.Name }))
const named = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))
const everything = Arguments.decoder(Arguments.Nothing)

const service = Organizations.Organizations

export const make = (runtime: Runtime): Types.Organizations => ({
  create: Methods.writing(runtime, { name: "organizations.create", decode: creation }, (request) =>
    Methods.once(
      "Organization",
      Effect.flatMap(service, (organizations) => organizations.create(request)),
      (organization) => Effect.succeed(shape(organization))
    )
  ),
  get: Methods.reading(runtime, { name: "organizations.get", decode: named }, (of) =>
    Effect.flatMap(service, (organizations) => Effect.map(organizations.get(of), shape))
  ),
  list: Methods.paging(
    runtime,
    { name: "organizations.list", decode: everything },
    Pages.created,
    (_, page) => Effect.flatMap(service, (organizations) => organizations.page(page)),
    shape
  )
})

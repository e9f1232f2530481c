/** The flags of lists come from the API's definition. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { Api } from "simplan/http-api"
import { describe, expect, it } from "vitest"
import * as Flags from "../../adapters/cli/commands/Flags.ts"
import { simplan } from "./Terminal.ts"

const endpoint = HttpApiEndpoint.get("list", "/things", {
  query: {
    page: Schema.optionalKey(Schema.String),
    page_size: Schema.optionalKey(Schema.String),
    colour_name: Schema.optionalKey(Schema.Literals(["red", "blue"]).annotate({ description: "Only `red` ones" })),
    is_esim: Schema.optionalKey(Schema.String)
  }
})

describe("a parameter of a list", () => {
  it("is a flag, but for those of pages", () => {
    expect(Object.keys(Flags.of(endpoint).flags)).toEqual(["colour_name", "is_esim"])
  })

  it("is in the query where its flag is given, and has to be what the definition allows", async () => {
    const { read } = Flags.of(endpoint)
    expect(await Effect.runPromise(read({ colour_name: "red" }))).toEqual({ query: { colour_name: "red" } })
    const refused = await Effect.runPromise(Effect.flip(read({ colour_name: "green" })))
    expect(refused).toMatchObject({ exitCode: 2, message: expect.stringMatching(/^colour_name /) })
  })
})

describe("the definition has a description of each filter that is a flag of", () => {
  const { audit, jobs, plans, problems, sims, webhooks } = Api.groups
  const lists = {
    audit: audit.endpoints.list,
    "deliveries list": webhooks.endpoints.deliveries,
    "deliveries replay": webhooks.endpoints.deliveries,
    "jobs list": jobs.endpoints.list,
    "jobs retry": jobs.endpoints.list,
    "plans list": plans.endpoints.list,
    problems: problems.endpoints.list,
    "sims list": sims.endpoints.list
  }
  for (const [command, { query }] of Object.entries(lists)) {
    it(`simplan ${command}`, async () => {
      const { out } = await simplan([...command.split(" "), "--help"])
      const flags = new Map(
        Array.from(out.matchAll(/^ +--([\w-]+)(?:, --\w+)?(?: <\S+>)? +(.+)$/gm), ([, name, says]) => [name, says])
      )
      const parameters =
        query?.ast._tag === "Objects" ? query.ast.propertySignatures.map(({ name }) => String(name)) : []
      const filters = parameters.filter((name) => name !== "page" && name !== "page_size")
      expect(filters.length).toBeGreaterThan(0)
      for (const filter of filters) {
        const flag = [...flags.keys()].find((name) => filter.replaceAll("_", "-").includes(name ?? ""))
        expect({ filter, says: flags.get(flag) }).toEqual({ filter, says: expect.stringMatching(/^[A-Zt].{10}/) })
      }
    })
  }
})

/**
 * What is printed from the catalogue of events: the types that hosts read, the console's lists of
 * types, and the table of the document. `npm run print` writes it anew.
 */
import { Schema } from "effect"
import { Refusal } from "simplan"
import { Command, Label, WebhookEvent } from "simplan/ports"
import { expect, it } from "vitest"
import { between, documented, formatted, table } from "./Printed.ts"

/** A part of a JSON Schema that the catalogue of events gives. */
interface Part {
  readonly description?: string
  readonly format?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: readonly [Part, Part]
  readonly properties?: Readonly<Record<string, Part>>
}

/** The types of values that hosts have a name for. */
const namedValues = new Map([
  [Label.labels.join(), "Label"],
  [Object.values(Command.methods).join(), "CommandMethod"],
  [Refusal.codes.join(), "ErrorCode"]
])

const typeOfPart = (part: Part): string => {
  if (part.anyOf !== undefined) return `${typeOfPart(part.anyOf[0])} | null`
  if (part.properties !== undefined) return `{\n${fieldsOf(part.properties)}\n}`
  if (part.enum === undefined) return part.type === "integer" ? "number" : "string"
  return namedValues.get(part.enum.join()) ?? part.enum.map((value) => JSON.stringify(value)).join(" | ")
}

const fieldsOf = (properties: Readonly<Record<string, Part>>): string =>
  Object.entries(properties)
    .map(([name, part]) => {
      const time = (part.anyOf?.[0] ?? part).format === "date-time" ? " RFC 3339 in UTC." : ""
      return `${documented(`${part.description}.${time}`)}\nreadonly ${name}: ${typeOfPart(part)}`
    })
    .join("\n")

const propertiesOf = (data: Schema.Top): Readonly<Record<string, Part>> => {
  const { properties = {} }: Part = JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(data).schema))
  return properties
}

/** The fields that are not among those which are shared more widely. */
const ownOf = (data: Schema.Top, base: WebhookEvent.Shared | null) =>
  Object.fromEntries(Object.entries(propertiesOf(data)).filter(([name]) => !Object.hasOwn(base?.fields ?? {}, name)))

const rows = Object.entries(WebhookEvent.catalogue)

const sharedFields = (): ReadonlyArray<WebhookEvent.Shared> => {
  const found = new Set<WebhookEvent.Shared>()
  for (const [, { base }] of rows) {
    for (let one: WebhookEvent.Shared | null = base; one !== null; one = one.wider) if (one.name !== "") found.add(one)
  }
  return [...found].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

it("prints what each type of event says", async () => {
  const shared = sharedFields().map(({ fields, meaning, name, wider }) => {
    const own = fieldsOf(ownOf(Schema.Struct(fields), wider))
    return `${documented(meaning)}\nexport interface ${name}${wider === null ? "" : ` extends ${wider.name}`} {\n${own}\n}`
  })
  const said = rows
    .filter(([type]) => type !== WebhookEvent.TEST)
    .map(([type, { base, data, meaning }]) => {
      const own = ownOf(data, base)
      const parts = [base.name, Object.keys(own).length === 0 ? "" : `{\n${fieldsOf(own)}\n}`]
      return `${documented(meaning)}\nreadonly "${type}": ${parts.filter((part) => part !== "").join(" & ")}`
    })
  await expect(
    formatted(`/** Printed from the catalogue of events by \`npm run print\`. */
import type { ErrorCode } from "../../errors/Errors.ts"
import type { Label } from "../Label.ts"

/** The types of events (rules W5 and E1). The first three are the standard ones. */
export type EventType = keyof EventData

/** The methods that submit a command inside a transaction. */
export type CommandMethod = ${Object.values(Command.methods)
      .map((method) => JSON.stringify(method))
      .join(" | ")}

${shared.join("\n\n")}

/** What each type of event says, with the names of its webhook body (rules W5 and E1). */
export interface EventData {
${said.join("\n")}
}
`)
  ).toMatchFileSnapshot("../../adapters/promise/types/printed/Events.ts")
  await expect(
    formatted(`/** Printed from the catalogue of events by \`npm run print\`, so that pages need not load it. */

/** What a filter may name; an endpoint without one receives the first ones. */
// biome-ignore format: a line for each type would say no more.
export const types = ${JSON.stringify(WebhookEvent.types).replaceAll(",", ", ")}
export const standardTypes = types.slice(0, ${WebhookEvent.standardTypes.length})
`)
  ).toMatchFileSnapshot("../../adapters/console/printed/EventTypes.ts")
})

it("prints the table of events", async () => {
  const named = (data: Schema.Struct<Schema.Struct.Fields>) => Object.keys(data.fields).map((name) => `\`${name}\``)
  await between(
    "adapters/http/webhooks.md",
    "events",
    table(
      ["type", "what has happened", "what its `data` has"],
      rows.map(([type, { data, meaning }]) => [`\`${type}\``, meaning, named(data).join(", ")])
    )
  )
})

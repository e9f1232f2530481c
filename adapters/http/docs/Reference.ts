/**
 * The operations of the document as HTML: what each does, its parameters, the fields of its body, and its answers.
 */
import * as Json from "../openapi/JsonSchema.ts"
import * as Html from "./Html.ts"

interface Operation {
  readonly id: string
  readonly name: string
  readonly tag: string
  readonly content: Json.Record
}

const string = (value: unknown): string => (typeof value === "string" ? value : "")

const operationsOf = (document: Json.Record): ReadonlyArray<Operation> =>
  Object.entries(Json.record(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(Json.record(methods)).map(([method, operation]) => {
      const content = Json.record(operation)
      return {
        id: string(content["operationId"]),
        name: `${method.toUpperCase()} ${path}`,
        tag: string(Json.list(content["tags"])[0]),
        content
      }
    })
  )

const parameters = (operation: Json.Record): string =>
  Html.table(
    ["Parameter", "In", "Meaning", "Example"],
    Json.list(operation["parameters"]).map((one) => {
      const { description, example, in: place, name, required } = Json.record(one)
      return [
        `<code>${Html.escape(string(name))}</code>${required === true ? "" : " (optional)"}`,
        string(place),
        Html.text(string(description)),
        `<code>${Html.escape(String(example))}</code>`
      ]
    })
  )

const example = (media: Json.Record): string => {
  const [first] = Object.values(Json.record(media["examples"]))
  const value = media["example"] ?? Json.record(first)["value"]
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  return `<pre>${Html.escape(text)}</pre>`
}

const mediaOf = (described: unknown): string =>
  Object.entries(Json.record(Json.record(described)["content"]))
    .map(([type, media]) => `<p><code>${Html.escape(type)}</code></p>${example(Json.record(media))}`)
    .join("")

const responses = (operation: Json.Record): string =>
  Object.entries(Json.record(operation["responses"]))
    .map(([status, response]) => {
      const text = Html.text(string(Json.record(response)["description"]))
      return `<h5>${status}</h5>${Number(status) < 400 ? mediaOf(response) : `<p>${text}</p>`}`
    })
    .join("")

const operation = ({ content, id, name }: Operation): string =>
  [
    `<details id="${Html.escape(id)}"><summary><code>${Html.escape(name)}</code> ${Html.text(string(content["summary"]))}</summary>`,
    `<p>${Html.text(string(content["description"]))}</p>`,
    parameters(content),
    content["requestBody"] === undefined ? "" : `<h5>Request body</h5>${mediaOf(content["requestBody"])}`,
    responses(content),
    "</details>"
  ].join("")

/** What the fields of the document's schemas mean. */
const schemas = (document: Json.Record): string =>
  Object.entries(Json.record(Json.record(document["components"])["schemas"]))
    .map(([name, schema]) => {
      const fields = Object.entries(Json.record(Json.record(schema)["properties"])).map(([field, property]) => [
        `<code>${Html.escape(field)}</code>`,
        Html.text(string(Json.record(property)["description"])),
        `<code>${Html.escape(JSON.stringify(Json.list(Json.record(property)["examples"])[0] ?? null).slice(0, 200))}</code>`
      ])
      return `<details id="schema-${name}"><summary>${name}</summary>${Html.table(["Field", "Meaning", "Example"], fields)}</details>`
    })
    .join("")

/** The whole reference. */
export const html = (document: Json.Record): string => {
  const operations = operationsOf(document)
  const groups = Json.list(document["tags"]).map((tag) => {
    const name = string(Json.record(tag)["name"])
    const own = operations.filter((one) => one.tag === name)
    const about = Html.text(string(Json.record(tag)["description"]))
    return `<h3>${Html.escape(name)}</h3><p>${about}</p>${own.map(operation).join("")}`
  })
  return `${groups.join("")}<h3>Fields</h3>${schemas(document)}`
}

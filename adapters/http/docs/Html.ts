/**
 * The document as HTML: its texts and tables; and the reference of its operations, with what each
 * does, its parameters, the fields of its body, and its answers.
 */
import * as Json from "../openapi/JsonSchema.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text without marks of HTML. */
export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "")

/** A text with its code in backticks, as the document has it. */
export const text = (markdown: string): string => escape(markdown).replace(/`([^`]+)`/g, "<code>$1</code>")

/** A table; nothing if it has no rows. Heads and cells are HTML. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0
    ? ""
    : [
        "<table><thead><tr>",
        ...heads.map((head) => `<th scope="col">${head}</th>`),
        "</tr></thead><tbody>",
        ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`),
        "</tbody></table>"
      ].join("")

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
  table(
    ["Parameter", "In", "Meaning", "Example"],
    Json.list(operation["parameters"]).map((one) => {
      const { description, example, in: place, name, required } = Json.record(one)
      return [
        `<code>${escape(string(name))}</code>${required === true ? "" : " (optional)"}`,
        string(place),
        text(string(description)),
        `<code>${escape(String(example))}</code>`
      ]
    })
  )

const example = (media: Json.Record): string => {
  const [first] = Object.values(Json.record(media["examples"]))
  const value = media["example"] ?? Json.record(first)["value"]
  return `<pre>${escape(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</pre>`
}

const mediaOf = (described: unknown): string =>
  Object.entries(Json.record(Json.record(described)["content"]))
    .map(([type, media]) => `<p><code>${escape(type)}</code></p>${example(Json.record(media))}`)
    .join("")

const responses = (operation: Json.Record): string =>
  Object.entries(Json.record(operation["responses"]))
    .map(([status, response]) => {
      const description = text(string(Json.record(response)["description"]))
      return `<h5>${status}</h5>${Number(status) < 400 ? mediaOf(response) : `<p>${description}</p>`}`
    })
    .join("")

const operation = ({ content, id, name }: Operation): string =>
  [
    `<details id="${escape(id)}"><summary><code>${escape(name)}</code> ${text(string(content["summary"]))}</summary>`,
    `<p>${text(string(content["description"]))}</p>`,
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
        `<code>${escape(field)}</code>`,
        text(string(Json.record(property)["description"])),
        `<code>${escape(JSON.stringify(Json.list(Json.record(property)["examples"])[0] ?? null).slice(0, 200))}</code>`
      ])
      return `<details id="schema-${name}"><summary>${name}</summary>${table(["Field", "Meaning", "Example"], fields)}</details>`
    })
    .join("")

/** The reference of all operations of a document, and of the fields of its schemas. */
export const reference = (document: Json.Record): string => {
  const operations = operationsOf(document)
  const groups = Json.list(document["tags"]).map((tag) => {
    const name = string(Json.record(tag)["name"])
    const own = operations.filter((one) => one.tag === name)
    const about = text(string(Json.record(tag)["description"]))
    return `<h3>${escape(name)}</h3><p>${about}</p>${own.map(operation).join("")}`
  })
  return `${groups.join("")}<h3>Fields</h3>${schemas(document)}`
}

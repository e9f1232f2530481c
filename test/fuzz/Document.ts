/**
 * The service's own document, `/openapi.json`: its operations, and whether an answer is one that
 * the document describes.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly in: "path" | "query" | "header"
  readonly name: string
  readonly schema: Schema
}

export interface Operation {
  readonly method: string
  /** With the parameters in braces. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** The schema of the JSON body; null where it has none. */
  readonly body: Schema | null
  /** What is wrong with an answer; undefined where nothing is. */
  readonly mismatch: (status: number, type: string, text: string) => string | undefined
}

export interface Document {
  readonly operations: ReadonlyArray<Operation>
  /** The schema itself, or the one that it refers to. */
  readonly resolve: (schema: Schema) => Schema
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Source {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: ReadonlyArray<Parameter>
            readonly requestBody?: Described
            readonly responses: Readonly<Record<string, Described>>
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const REFERENCE = "#/components/schemas/"

/** The only 5xx that a healthy service may answer: out of service, and what the telco refuses. */
const FAILURES = new Set([502, 503])

/** Reads the document of the server at the address. */
export const read = async (url: string): Promise<Document> => {
  const source: Source = JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  const known = new Map<string, ValidateFunction>()
  // Compiling takes long, and most answers share their schemas.
  const validator = (schema: Schema): ValidateFunction => {
    const name = JSON.stringify(schema)
    const found = known.get(name) ?? ajv.compile({ ...schema, components: source.components })
    known.set(name, found)
    return found
  }

  const operations = Object.entries(source.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]): Operation => {
      const mismatch: Operation["mismatch"] = (status, type, text) => {
        if (status >= 500 && !FAILURES.has(status)) return `${status} ${text}`
        const content = responses[status]?.content
        if (responses[status] === undefined) return `the document does not describe ${status}: ${text}`
        if (content === undefined) return text === "" ? undefined : `the document describes no body: ${text}`
        const media = Object.keys(content).find((one) => one.split(";")[0] === type.split(";")[0])
        if (media === undefined) return `the document does not describe the content type ${type}: ${text}`
        if (!media.startsWith("application/json")) return undefined
        const validate = validator(content[media]?.schema ?? {})
        return validate(JSON.parse(text)) ? undefined : `${status} ${ajv.errorsText(validate.errors)}: ${text}`
      }
      const body = requestBody?.content?.["application/json"]?.schema ?? null
      return { method: method.toUpperCase(), path, parameters, body, mismatch }
    })
  )
  return {
    operations,
    resolve: (schema) => {
      const to = schema["$ref"]
      return typeof to === "string" ? (source.components.schemas[to.slice(REFERENCE.length)] ?? {}) : schema
    }
  }
}

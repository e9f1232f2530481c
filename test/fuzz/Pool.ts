/**
 * Names of things that are there, learned from answers: without them hardly a request would get
 * past its 404.
 */

/** Fields of answers whose values are names, and the kind of thing that they name. */
const KINDS: Readonly<Record<string, string>> = {
  iccid: "iccid",
  plan_id: "plan",
  _id: "plan",
  planId: "plan",
  coverage_id: "coverage",
  coverageId: "coverage",
  plan_attachment_id: "attachment",
  package_id: "package",
  operator_id: "operator",
  operatorId: "operator",
  organization_id: "organization",
  api_key_id: "key",
  key_id: "key",
  webhook_endpoint_id: "endpoint",
  endpoint_id: "endpoint",
  delivery_id: "delivery",
  next_page: "page",
  page: "page"
}

/** At most as many of a kind; later ones take the place of earlier ones. */
const SIZE = 200

/** An import's answer repeats the ICCIDs that it refused: such a text is no name of anything. */
const NAME = /^[\x21-\x7e]+$/

const PLACE = /@@(\w+) (\d+)@@/g

/** The path of operators of the service; elsewhere, operators are mobile networks. */
const SERVICE_OPERATORS = "/admin/v1/operators"

const knownKind = (name: string, path: string): string | undefined =>
  name === "operator_id" && path.startsWith(SERVICE_OPERATORS) ? "serviceOperator" : KINDS[name]

/**
 * What a field of this name names; `id` is an organization's in the management API, an attachment's
 * in the other.
 */
export const kindOf = (name: string, path: string): string | undefined =>
  name === "id" ? (path.startsWith("/admin") ? "organization" : "attachment") : knownKind(name, path)

/**
 * A name as clients may write it too (rules I1 and I13): an ICCID with its pad, an id in capitals.
 */
const spelled = (name: string): string => {
  if (/^\d{18,20}$/.test(name)) return `${name}${name.length === 18 ? "FF" : "F"}`
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::|$)/.test(name) ? name.toUpperCase() : name
}

/** A place to be filled with the name of a thing of a kind when the request is sent. */
export const place = (kind: string, index: number): string => `@@${kind} ${index}@@`

export class Pool {
  readonly #names = new Map<string, Array<string>>()
  readonly #isOffLimits: (name: string) => boolean
  #next = 0

  /** What is off limits is not learned. */
  constructor(isOffLimits: (name: string) => boolean) {
    this.#isOffLimits = isOffLimits
  }

  /** Keeps all names in an answer of this path; one of `/v3` unless given. */
  learn(value: unknown, path = "/v3"): void {
    if (typeof value !== "object" || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      const kind = knownKind(field, path)
      if (kind !== undefined && typeof inner === "string") this.#add(kind, inner)
      else this.learn(inner, path)
    }
  }

  /** The text with every place filled. */
  fill(text: string, encode: (name: string) => string): string {
    return text.replace(PLACE, (_, kind: string, index: string) => {
      const names = this.#names.get(kind) ?? []
      const name = names[Number(index) % Math.max(names.length, 1)] ?? "none"
      return encode(Number(index) % 5 === 4 ? spelled(name) : name)
    })
  }

  #add(kind: string, name: string): void {
    const names = this.#names.get(kind) ?? []
    this.#names.set(kind, names)
    if (!NAME.test(name) || names.includes(name) || this.#isOffLimits(name)) return
    if (names.length < SIZE) names.push(name)
    else names[this.#next++ % SIZE] = name
  }
}

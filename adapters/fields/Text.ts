/**
 * What texts may hold. Those that storages cannot keep are refused (rule W1): those with NUL characters or lone surrogates.
 */
import { TextLimit } from "simplan/ports"

export const MESSAGE = TextLimit.NOT_STORABLE

/** What is wrong with a text; undefined where nothing is. The message follows the name of the field. */
export const problem = (text: string): string | undefined => (TextLimit.isStorable(text) ? undefined : MESSAGE)

/** An id from a path. One that no storage can keep becomes an id that nothing has, so the answer is 404 as for any. */
export const id = (text: string): string => (problem(text) === undefined ? text : "\uFFFD")

// JSON in UTF-8 can hold such a character only as an escape.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

/** Whether the strings of this JSON need to be checked one by one. */
export const isSuspicious = (json: string): boolean => SUSPICIOUS.test(json)

/** How deep a value may be nested where its strings are checked. */
const DEPTH = 64

/** The first field of a JSON value with a bad string, and what is wrong with it. */
export const firstProblem = (
  value: unknown,
  name = "",
  depth = 0
): { readonly field: string; readonly message: string } | undefined => {
  if (typeof value === "string") {
    const message = problem(value)
    return message === undefined ? undefined : { field: name === "" ? "body" : name, message }
  }
  if (typeof value !== "object" || value === null) return undefined
  if (depth === DEPTH) return { field: "body", message: "is nested too deeply" }
  const inArray = Array.isArray(value)
  for (const [key, part] of Object.entries(value)) {
    if (problem(key) !== undefined) return { field: name === "" ? "body" : name, message: `${MESSAGE} in its keys` }
    const found = firstProblem(part, inArray ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** What the address of a telco bridge must be; the contract's paths are appended to it. */
export const TELCO_URL = "an address such as https://bridge.example/telco, without a password or a query"

/** The address of a telco bridge, without trailing slashes; undefined for any other text. */
export const telcoUrl = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, password, protocol, search, username } = new URL(text)
  const isPlain = /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
  return isPlain ? text.replace(/\/+$/, "") : undefined
}

/** An address without what may be a secret, for a message. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, "//***@").replace(/\?.*/, "?***")

/**
 * Texts that no storage can keep: NUL characters and lone surrogates stop at the edge (rule W1).
 */

const MESSAGE = "must not contain NUL characters or lone surrogates"

/** What is wrong with a text, if anything; follows the name of its field. */
export const problem = (text: string): string | undefined =>
  text.includes("\0") || !isWellFormed(text) ? MESSAGE : undefined

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text)

/**
 * An id out of a path. One that no storage can keep is made into another that nothing has, so that it is not found like
 * any other unknown id.
 */
export const id = (text: string): string => (problem(text) === undefined ? text : "\uFFFD")

// Only an escape can bring such a character into a JSON text whose bytes are UTF-8.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

/** Whether the texts in this JSON need to be looked at one by one. */
export const isSuspicious = (json: string): boolean => SUSPICIOUS.test(json)

/** How deep a value may be nested for its texts to be looked at. */
const DEPTH = 64

/** The first field of a JSON value with a bad text, and what is wrong with it. */
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

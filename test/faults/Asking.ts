/** One HTTP request, answered or not. */

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface Asked {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** How long a client waits for an answer. */
const WAIT_LIMIT = 4_000

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Why there was no answer: the code of the connection's error, such as `ECONNREFUSED`, or
 * `TimeoutError`.
 */
export type Failure = string

const failureOf = (error: unknown): Failure => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.name
}

/** The answer, or why none came in time. */
export const attempt = async (
  url: string,
  { body, headers = {}, method }: Asked,
  waitLimit = WAIT_LIMIT
): Promise<Answer | Failure> => {
  const isText = typeof body === "string"
  const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }
  const type: Record<string, string> =
    body === undefined ? {} : { "content-type": isText ? "text/csv" : "application/json" }
  try {
    const response = await fetch(url, {
      method,
      headers: { ...type, ...headers },
      signal: AbortSignal.timeout(waitLimit),
      ...sent
    })
    return { status: response.status, body: parsed(await response.text()) }
  } catch (error) {
    return failureOf(error)
  }
}

/** The answer, null where none came in time. */
export const ask = async (...given: Parameters<typeof attempt>): Promise<Answer | null> => {
  const answer = await attempt(...given)
  return typeof answer === "string" ? null : answer
}

/** A field of an answer, by the names on the way to it. */
export const field = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? Object.getOwnPropertyDescriptor(found, name)?.value : undefined,
    value
  )

export const text = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = field(value, ...path)
  return typeof found === "string" ? found : ""
}

export const list = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = field(value, ...path)
  return Array.isArray(found) ? found : []
}

/**
 * What the methods of every group have in common: the options of a call, lists, and instants.
 */

/** A unit of time. A day has 24 h. */
export type TimeUnit = "millisecond" | "second" | "minute" | "hour" | "day"

/** A length of time: milliseconds, or a number with a unit, such as `"20 seconds"`. */
export type TimeSpan = number | `${number} ${TimeUnit}` | `${number} ${TimeUnit}s`

/**
 * An instant in a request: a `Date`, or RFC 3339 text with a zone, such as `2026-01-31T12:00:00Z`
 * (rule W8).
 */
export type InstantInput = Date | string

/** The request of the host that a call is made for. Audit entries name it (rule W11). */
export interface HostRequest {
  /** The id under which the host knows the request; errors have it too. */
  readonly requestId?: string | undefined
  /** The network address of the caller. */
  readonly address?: string | undefined
  /** Who asks, such as a user's id; `host` by default. */
  readonly actor?: string | undefined
  /**
   * Why, in the caller's words: up to 500 characters, which audit entries and histories of SIMs
   * keep.
   */
  readonly reason?: string | undefined
}

/** Options of a call that reads. */
export interface CallOptions {
  /**
   * Gives the call up when it aborts. The call then rejects with an error named `AbortError`. What
   * is not committed yet does not happen; what is committed stays.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Gives the call up after this time, of the machine's clock. The call then rejects with a
   * `TimeoutError`. No limit by default.
   */
  readonly timeout?: TimeSpan | undefined
  /** The request of the host that the call is made for (rule W11). */
  readonly request?: HostRequest | undefined
}

/** Options of a call that writes. */
export interface WriteOptions extends CallOptions {
  /**
   * Makes the call happen once: a second call with the key and the same request gets the first
   * one's outcome, for 24 h, from any process (rule W2). The key has 1 to 255 printable ASCII
   * characters, and is the organization's own. A key that came with another request is an
   * `IdempotencyKeyReusedError`; while the first call runs, a second one is a
   * `RequestInProgressError`. `TelcoRefusedError` and `TelcoUnavailableError` are not kept: such a
   * call can be repeated.
   */
  readonly idempotencyKey?: string | undefined
}

/**
 * All things of a list, read page by page while they are consumed. It can be read more than once.
 * The method that gives it throws an `InvalidFieldError` at once if its request is wrong; all
 * other errors come when it is read.
 */
export interface List<Item> extends AsyncIterable<Item> {
  /** Reads the whole list. */
  readonly toArray: () => Promise<Array<Item>>
}

/** A list that can also be read by single pages. */
export interface PagedList<Item> extends List<Item> {
  /**
   * Reads one page. `InvalidFieldError` if `after` is no token of a page, or `size` is out of
   * its bounds.
   */
  readonly page: (of?: PageRequest) => Promise<Page<Item>>
}

/** Which page of a list is asked for. */
export interface PageRequest {
  /** How many items the page has at most, 1 to 100; 25 by default. */
  readonly size?: number | undefined
  /** The `next` of the page before; absent or null for the first page. */
  readonly after?: string | null | undefined
}

/** A page of a list. */
export interface Page<Item> {
  /** The items, in the list's order. */
  readonly items: ReadonlyArray<Item>
  /** The token of the next page; null on the last one. */
  readonly next: string | null
}

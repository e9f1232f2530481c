/**
 * The envelopes of successful answers.
 */

/** `{error: false, data}`. */
export const data = <Data>(data: Data) => ({ error: false, data }) as const

/** `{error: false, data, next_page}`: a page, and the token of the next one. */
export const page = <Item>(items: ReadonlyArray<Item>, next: string | null) =>
  ({ error: false, data: items, next_page: next }) as const

/** `{error: false, message}`. */
export const message = (message: string) => ({ error: false, message }) as const

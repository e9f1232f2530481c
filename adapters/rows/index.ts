/**
 * A storage over any database that has transactions: the ports `Storage`, `Jobs` and `Outbox` over
 * a `RowStore`.
 *
 *     const layer = RowStorage.layer(store)  // `store` is an effect that opens a `RowStore`
 *
 * A `RowStore` keeps rows whose values it need not understand, and finds them by key, in lists and
 * in queues. What a commit checks and writes and what a read selects is decided here, by the
 * domain's own functions.
 */
export * as RowStorage from "./RowStorage.ts"
export type { Row, RowStore } from "./RowStore.ts"
export * as Rows from "./Rows.ts"

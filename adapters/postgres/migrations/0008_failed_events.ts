/**
 * The list of the events that were given up for a handler (rule E2).
 */
/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create index delivery_failed_of_handler on simplan.delivery (handler, created_at, delivery_id)
    where status = 'Failed' and handler is not null`
]

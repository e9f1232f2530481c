/**
 * Room in the indexes of deliveries. Every delivery is settled once: its row then moves, and gets a second entry in each
 * of these indexes, beside the first one. Pages that are full by then are searched for dead entries, or split.
 *
 * New pages have the room, older ones after a `reindex`. Tables that an operator has made anew, as partitioned ones, have
 * indexes of other names.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  "delivery_pkey",
  "delivery_listed",
  "delivery_listed_by_endpoint"
].map((index) => `alter index if exists simplan.${index} set (fillfactor = 50)`)

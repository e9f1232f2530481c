/**
 * The tables and functions, one aggregate after the other.
 *
 * Instants are UTC milliseconds in `bigint`. What is keyed, filtered or guarded has a column of its
 * own; the rest of a nested value is `jsonb`, and `json` if the order of the keys matters. Keys
 * are compared byte by byte (collation "C"), so that their order is the same on every server.
 * `organization_id` leads every key but those of what is unique in the whole service (ICCIDs,
 * hashes of keys), of what belongs to the service itself, and of jobs, which are claimed by their
 * due time.
 *
 * There are no foreign keys: what belongs to a SIM is written under the guard of that SIM's
 * version. Rows that change over and over have room beside them (`fillfactor`), so that a change
 * stays on its page and leaves the indexes alone.
 */
import * as BookTables from "./initial/BookTables.ts"
import * as EventTables from "./initial/EventTables.ts"
import * as OrganizationTables from "./initial/OrganizationTables.ts"
import * as PlanTables from "./initial/PlanTables.ts"
import * as SimTables from "./initial/SimTables.ts"
import * as WorkTables from "./initial/WorkTables.ts"
import type { Change } from "./Step.ts"

export const steps: ReadonlyArray<Change> = [
  ...OrganizationTables.steps,
  ...PlanTables.steps,
  ...SimTables.steps,
  ...EventTables.steps,
  ...WorkTables.steps,
  ...BookTables.steps
]

/**
 * The identities of SIMs (rule I7), which imports bring. Nothing is found by them, so they have no index.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `alter table simplan.sim add column imsi text, add column msisdn text, add column subscriber_id text`
]

/**
 * Finds the SIMs that are on their way back to stock (rule S5).
 *
 * The column is null for any other SIM. It is not `allocation` that the index goes by, since a SIM that goes into service
 * changes that twice, and would change each of its indexes with it.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `alter table simplan.sim add column releasing boolean`,
  `update simplan.sim set releasing = true where allocation = 'Releasing'`,
  `create index sim_releasing on simplan.sim (organization_id, label) where releasing`
]

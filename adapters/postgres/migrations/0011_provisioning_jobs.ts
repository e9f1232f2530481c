/**
 * Finds the creations of an organization that are not decided, whose SIMs may come back to stock (rule S5).
 *
 * It is not the SIM that has an index, since one that goes into service would change each of its indexes with it. A
 * creation's job is written and removed all the same.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create index job_provisioning on simplan.job (organization_id)
    where ended_at is null and work->>'_tag' = 'Provision'`
]

/**
 * The lists of commands (rule H1): all of an organization's, those that are pending, and those of one outcome.
 */
/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create index command_listed on simplan.command (organization_id, created_at, command_id)`,
  `create index command_pending on simplan.command (organization_id, created_at, command_id)
    where settled_at is null`,
  `create index command_listed_by_outcome
    on simplan.command (organization_id, (outcome->>'_tag'), created_at, command_id)`
]

/**
 * Indexes that take the place of others, for lists that read more than they answered (rule W13): SIMs of a label and a kind,
 * and the deliveries of a SIM, newest first. An index beside the others would be one more to write with each change.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create index sim_listed_by_label_and_kind on simplan.sim (organization_id, label, is_esim, import_sequence)`,
  `drop index if exists simplan.sim_listed_by_label`,
  `create index event_of_sim_by_time on simplan.event (
    organization_id, coalesce(payload->'data'->>'sim', payload->'data'->>'esim'), created_at
  )`,
  `drop index if exists simplan.event_of_sim`
]

/**
 * Why jobs wait for their next try (`Job.Waiting`), which operators list. Few jobs wait while the telco answers, so the
 * index is small.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `alter table simplan.job add column waiting jsonb`,
  `create index job_waiting on simplan.job (created_at, job_id) where waiting is not null and ended_at is null`
]

/**
 * Commits and work: jobs, requests that are repeated (rule W2), commands of hosts (rule H1), and
 * what processes share.
 */
import { type Change, Step } from "../Step.ts"
import * as ClaimFunctions from "./ClaimFunctions.ts"

export const steps: ReadonlyArray<Change> = [
  // What a commit's guards call: the message is the `on` of the `Conflict`.
  Step.Function({
    name: "ensure",
    definition: `(holds boolean, otherwise text) returns boolean language plpgsql as $$
    begin
      if holds then return true; end if;
      raise exception using errcode = 'SP409', message = otherwise;
    end
  $$`
  }),

  // waiting: why it waits for its next try (`Job.Waiting`), as few jobs do while the telco answers.
  // job_of_sim has those that wait or are a problem (rule L3). job_provisioning has the creations
  // that are not decided, whose SIMs may come back to stock (rule S5): an index of SIMs would
  // change with each that goes into service, and a creation's job is written and removed all the
  // same.
  Step.Table({
    name: "job",
    columns: {
      job_id: `text collate "C" primary key`,
      organization_id: `text collate "C" not null`,
      work: "jsonb not null",
      due_at: "bigint not null",
      attempts: "integer not null",
      created_at: "bigint not null",
      idempotency_key: "text",
      origin: "jsonb",
      command: "jsonb",
      refused: "jsonb",
      ended_at: "bigint",
      lease_token: "text",
      lease_until: "bigint",
      waiting: "jsonb"
    },
    fillfactor: 50,
    indexes: {
      job_due: "(due_at, job_id) where ended_at is null",
      job_of_organization: "(organization_id, due_at, job_id) where ended_at is null",
      job_ended: "(created_at, job_id) where ended_at is not null",
      job_waiting: "(created_at, job_id) where waiting is not null and ended_at is null",
      job_provisioning: "(organization_id) where ended_at is null and work->>'_tag' = 'Provision'",
      job_of_sim: "(organization_id, (work->>'iccid')) where waiting is not null or ended_at is not null"
    }
  }),
  ...ClaimFunctions.ofQueue({
    table: "job",
    partition: "job.organization_id",
    dueAt: "job.due_at",
    id: "job.job_id",
    waits: "job.ended_at is null"
  }),

  Step.Table({
    name: "idempotency",
    columns: {
      organization_id: `text collate "C" not null`,
      key: `text collate "C" not null`,
      fingerprint: "text not null",
      created_at: "bigint not null",
      outcome: "json not null"
    },
    key: "(organization_id, key)",
    indexes: { idempotency_created: "(created_at)" }
  }),

  Step.Table({
    name: "command",
    columns: {
      organization_id: `text collate "C" not null`,
      command_id: `text collate "C" not null`,
      request: "json not null",
      created_at: "bigint not null",
      outcome: "json not null",
      settled_at: "bigint"
    },
    key: "(organization_id, command_id)",
    indexes: {
      command_listed: "(organization_id, created_at, command_id)",
      command_listed_by_outcome: "(organization_id, (outcome->>'_tag'), created_at, command_id)",
      command_pending: "(organization_id, created_at, command_id) where settled_at is null",
      command_settled: "(settled_at) where settled_at is not null"
    }
  }),

  Step.Table({
    name: "clock",
    columns: { singleton: "boolean primary key default true check (singleton)", instant: "bigint not null" }
  }),

  // What the processes that share the database say of themselves.
  Step.Table({
    name: "process",
    columns: {
      process_id: `text collate "C" not null primary key`,
      version: "text",
      host: "text",
      runs: "text[] not null",
      started_at: "bigint not null",
      beat_at: "bigint not null",
      held_jobs: "integer not null",
      held_deliveries: "integer not null",
      rates: "json not null"
    },
    fillfactor: 70
  }),

  // The keys that secrets may be encrypted with; each has encrypted its check value.
  Step.Table({
    name: "encryption_key",
    columns: { key_id: `text collate "C" primary key`, check_value: "text not null" }
  }),

  // A try whether the database takes a write (`Storage.probe`).
  //
  // To change one row needs no room on the disk: its page is there, and so is the file of the log.
  // So the function first writes a temporary file of 8 kB pages beside the tables, which a full
  // disk refuses. It does that by its setting of `work_mem`, which the 4,000 rows do not fit into.
  Step.Table({
    name: "write_probe",
    columns: { singleton: "boolean primary key default true check (singleton)", at: "bigint not null" }
  }),
  Step.Function({
    name: "probe_write",
    definition: `(instant bigint) returns boolean language plpgsql
    set work_mem = '64kB' set temp_tablespaces = '' as $$
    begin
      perform count(*) from generate_series(1, 4000);
      insert into simplan.write_probe (at) values (instant) on conflict (singleton) do update set at = excluded.at;
      return true;
    end
  $$`
  })
]

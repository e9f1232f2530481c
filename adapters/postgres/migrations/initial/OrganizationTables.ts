/**
 * Organizations, and who may call: their API keys (rule W3), operators of the service and their
 * sessions (rule W14).
 */
import { type Change, Step } from "../Step.ts"

export const steps: ReadonlyArray<Change> = [
  Step.Table({
    name: "organization",
    columns: {
      organization_id: `text collate "C" primary key`,
      name: "text not null",
      created_at: "bigint not null"
    },
    indexes: { organization_listed: "(created_at, organization_id)" }
  }),

  // The former hash of a key goes on for a while.
  Step.Table({
    name: "api_key",
    columns: {
      organization_id: `text collate "C" not null`,
      api_key_id: `text collate "C" not null`,
      name: "text not null",
      scope: "text not null",
      hash: `text collate "C" not null`,
      hint: "text not null",
      created_at: "bigint not null",
      expires_at: "bigint",
      revoked_at: "bigint",
      version: "bigint not null",
      previous_hash: `text collate "C"`,
      previous_until: "bigint"
    },
    key: "(organization_id, api_key_id)",
    constraints: { api_key_hash: "unique (hash)" },
    indexes: {
      api_key_listed: "(organization_id, created_at, api_key_id)",
      api_key_of_previous_hash: "(previous_hash) where previous_hash is not null"
    }
  }),

  // When keys were last used: in a table of its own, so that it waits for no commit, and changes
  // nothing of a key.
  Step.Table({
    name: "api_key_use",
    columns: {
      organization_id: `text collate "C" not null`,
      api_key_id: `text collate "C" not null`,
      at: "bigint not null"
    },
    key: "(organization_id, api_key_id)",
    fillfactor: 70
  }),

  // Who the management API takes requests from. They belong to the service, and see one
  // organization or all.
  Step.Table({
    name: "operator",
    columns: {
      operator_id: `text collate "C" not null primary key`,
      name: `text collate "C" not null`,
      role: "text not null",
      organization_id: `text collate "C"`,
      hash: `text collate "C" not null`,
      hint: "text not null",
      previous_hash: `text collate "C"`,
      previous_until: "bigint",
      created_at: "bigint not null",
      expires_at: "bigint",
      deleted_at: "bigint",
      version: "bigint not null"
    },
    constraints: { operator_hash: "unique (hash)" },
    indexes: {
      operator_of_previous_hash: "(previous_hash) where previous_hash is not null",
      operator_listed: "(created_at, operator_id)"
    },
    uniqueIndexes: { operator_name: "(name) where deleted_at is null" }
  }),

  // The sessions of operators' browsers.
  Step.Table({
    name: "session",
    columns: {
      session_id: `text collate "C" not null primary key`,
      ends_at: "bigint not null",
      ended_at: "bigint",
      renewals: "integer not null",
      renewed_at: "bigint",
      cookie: "text",
      asked_at: "bigint",
      version: "bigint not null"
    },
    indexes: { session_of_end: "(ends_at)" }
  }),

  // What their cookies are sealed with.
  Step.Table({
    name: "session_key",
    columns: {
      singleton: "boolean primary key default true check (singleton)",
      value: "text not null"
    }
  })
]

/** Plans, custom regions, and the catalogue of countries, operators and profiles. */
import { type Change, Step } from "../Step.ts"

export const steps: ReadonlyArray<Change> = [
  // folded_name is the name as `toLowerCase()` has it, which no server locale agrees on.
  Step.Table({
    name: "plan",
    columns: {
      organization_id: `text collate "C" not null`,
      plan_id: `text collate "C" not null`,
      label: `text collate "C" not null`,
      coverage_id: `text collate "C" not null`,
      folded_name: `text collate "C" not null`,
      terms: "jsonb not null",
      created_at: "bigint not null",
      archived_at: "bigint",
      deleted_at: "bigint",
      version: "bigint not null"
    },
    key: "(organization_id, plan_id)",
    indexes: { plan_listed: "(organization_id, created_at, plan_id) where deleted_at is null" }
  }),

  // countries is the set of iso2_list as text (`Region.countriesKey`): each one once, in order.
  Step.Table({
    name: "region",
    columns: {
      organization_id: `text collate "C" not null`,
      coverage_id: `text collate "C" not null`,
      region_code: "text not null",
      region_name: `text collate "C" not null`,
      label: "text not null",
      iso2_list: `text[] collate "C" not null`,
      countries: `text collate "C" not null`,
      created_at: "bigint not null"
    },
    key: "(organization_id, coverage_id)",
    constraints: {
      region_name: "unique (organization_id, region_name)",
      region_countries: "unique (organization_id, countries)"
    },
    indexes: { region_listed: "(organization_id, created_at, coverage_id)" }
  }),

  Step.Table({
    name: "catalogue",
    columns: {
      singleton: "boolean primary key default true check (singleton)",
      version: "bigint not null",
      value: "json not null"
    }
  })
]

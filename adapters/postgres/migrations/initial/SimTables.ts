/**
 * SIMs, and what is written under the guard of a SIM's version: subscriptions, attachments,
 * packages, and what the SM-DP+ reports.
 */
import { type Change, Step } from "../Step.ts"

const UPPER =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"

const LOWER =
  "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя"

export const steps: ReadonlyArray<Change> = [
  // The function is `SimSearch.folded`. The locales of servers do not agree on the case of letters,
  // so it names them. The letters of C are those of ASCII, and fold in a tenth of the time.
  Step.Function({
    name: "folded",
    definition: `(metadata text) returns text language sql immutable parallel safe as $$
      select case when pg_catalog.octet_length(metadata) = pg_catalog.char_length(metadata)
        then pg_catalog.lower(pg_catalog."left"(metadata, 64) collate pg_catalog."C")
        else pg_catalog.translate(
          pg_catalog.left(metadata, 64),
          '${UPPER}',
          '${LOWER}'
        )
      end
    $$`
  }),

  // The ICCIDs of the whole service. The last digits are found here, where rows never change: a SIM
  // that goes into service would change its entries in an index of its own table (rules L1 and L4).
  Step.Table({
    name: "iccid",
    columns: { iccid: `text collate "C" primary key`, organization_id: `text collate "C" not null` },
    indexes: { iccid_reversed: "(organization_id, reverse(iccid))", iccid_by_ending: "(reverse(iccid))" }
  }),

  // The last import sequence of each organization that has SIMs.
  Step.Table({
    name: "import_sequence",
    columns: { organization_id: `text collate "C" primary key`, last: "bigint not null" }
  }),

  // releasing is null but for SIMs on their way back to stock (rule S5): an index by `allocation`
  // would make a SIM that goes into service change each of its indexes. sim_free depends on who has
  // a SIM and not on how, for the same reason.
  Step.Table({
    name: "sim",
    columns: {
      organization_id: `text collate "C" not null`,
      iccid: `text collate "C" not null`,
      sim_id: "text not null",
      import_sequence: "bigint not null",
      label: `text collate "C" not null`,
      is_esim: "boolean not null",
      lpa: "text",
      created_at: "bigint not null",
      allocation: `text collate "C" not null`,
      allocated_to: "text",
      recycled_at: "bigint",
      downloaded: "boolean not null",
      smdp: "jsonb",
      location: "jsonb",
      last_activity_at: "bigint",
      mobile_plan_applied: "boolean not null",
      mobile_plan_target: "boolean",
      version: "bigint not null",
      reservation_token: "text",
      reserved_until: "bigint",
      imsi: "text",
      msisdn: "text",
      subscriber_id: "text",
      releasing: "boolean",
      paused_at: "bigint",
      service_change: "text",
      service_active: "boolean",
      moved_to: `text collate "C"`
    },
    key: "(organization_id, iccid)",
    fillfactor: 50,
    indexes: {
      sim_listed: "(organization_id, import_sequence)",
      sim_listed_by_kind: "(organization_id, is_esim, import_sequence)",
      sim_listed_by_label_and_kind: "(organization_id, label, is_esim, import_sequence)",
      sim_free: `(organization_id, label, recycled_at nulls first, import_sequence)
        where is_esim and allocated_to is null and not downloaded`,
      sim_without_mobile_plan: `(organization_id, label, import_sequence)
        where is_esim and not mobile_plan_applied and mobile_plan_target is null`,
      sim_releasing: "(organization_id, label) where releasing",
      sim_by_imsi: "(imsi, organization_id) where imsi is not null",
      sim_by_msisdn: "(msisdn, organization_id) where msisdn is not null",
      sim_paused: "(organization_id, iccid) where paused_at is not null"
    }
  }),

  // The levels below which an organization is notified that eSIMs of a label run out (rule I12).
  Step.Table({
    name: "stock_level",
    columns: {
      organization_id: `text collate "C" not null`,
      label: `text collate "C" not null`,
      level: "bigint not null",
      is_low: "boolean not null",
      version: "bigint not null"
    },
    key: "(organization_id, label)"
  }),

  Step.Table({
    name: "subscription",
    columns: {
      organization_id: `text collate "C" not null`,
      subscription_id: `text collate "C" not null`,
      iccid: `text collate "C" not null`,
      metadata: "text not null",
      created_at: "bigint not null",
      status: `text collate "C" not null`
    },
    key: "(organization_id, subscription_id)",
    indexes: {
      subscription_present: "(organization_id, iccid) where status <> 'Deleted'",
      subscription_listed: "(organization_id, created_at, subscription_id) where status = 'Live'",
      subscription_by_metadata: `(organization_id, (simplan.folded(metadata) collate "C"))
        where status = 'Live' and metadata <> ''`,
      subscription_of_metadata: `((simplan.folded(metadata) collate "C")) where status = 'Live' and metadata <> ''`,
      subscription_by_id: "(subscription_id) where status = 'Live'"
    }
  }),

  // replacements: how often it has moved with its subscription to another SIM (rule S8).
  Step.Table({
    name: "attachment",
    columns: {
      organization_id: `text collate "C" not null`,
      attachment_id: `text collate "C" not null`,
      subscription_id: `text collate "C" not null`,
      iccid: `text collate "C" not null`,
      plan_id: "text not null",
      terms: "jsonb not null",
      active_period: "jsonb",
      metadata: "text not null",
      created_at: "bigint not null",
      confirmed: "boolean not null",
      anchor: "bigint",
      suspended_at: "bigint",
      last_threshold_notified: "integer not null",
      replacements: "integer not null default 0"
    },
    key: "(organization_id, attachment_id)",
    fillfactor: 60,
    indexes: {
      attachment_of_subscription: "(organization_id, subscription_id, created_at, attachment_id)",
      attachment_by_metadata: `(organization_id, (simplan.folded(metadata) collate "C")) where metadata <> ''`,
      attachment_of_metadata: `((simplan.folded(metadata) collate "C")) where metadata <> ''`
    }
  }),

  // refusal: what the telco said if it refused the package (rule L2). replacement: what of it is
  // ordered on another SIM.
  Step.Table({
    name: "package",
    columns: {
      organization_id: `text collate "C" not null`,
      attachment_id: `text collate "C" not null`,
      occurrence: "integer not null",
      iccid: `text collate "C" not null`,
      status: "text not null",
      telco_package_id: `text collate "C"`,
      activation_at: "bigint",
      expiration_at: "bigint",
      used_bytes: "bigint not null",
      refusal: "text",
      replacement: "jsonb"
    },
    key: "(organization_id, attachment_id, occurrence)",
    fillfactor: 50
  }),

  Step.Table({
    name: "smdp_entry",
    columns: {
      organization_id: `text collate "C" not null`,
      iccid: `text collate "C" not null`,
      modified_at: "bigint not null",
      position: "bigint generated always as identity",
      report_id: "text not null",
      state: "text not null",
      modification_result: "text not null"
    },
    key: "(organization_id, iccid, modified_at, position)"
  })
]

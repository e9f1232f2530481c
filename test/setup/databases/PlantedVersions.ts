/**
 * Versions after this build's, as a later build could have them, with a step of each kind. A
 * database of this build is of an earlier version to them.
 */
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import { Step } from "../../../adapters/postgres/migrations/Step.ts"

/** Remarks on SIMs, with a table of those that have one. */
const remarks: Migrations.Migration = {
  name: "remarks",
  steps: [
    Step.Columns({ table: "sim", columns: { remark: { type: "text" }, remarks: { type: "integer", default: "0" } } }),
    Step.Table({
      name: "remark",
      columns: {
        organization_id: `text collate "C" not null`,
        iccid: `text collate "C" not null`,
        day: "bigint not null",
        value: "text"
      },
      key: "(organization_id, iccid, day)",
      constraints: { remark_of_a_day: "check (day >= 0)" },
      partitionBy: "range (day)",
      partitions: { remark_default: "default" },
      indexes: { remark_listed: "(organization_id, day)" },
      uniqueIndexes: { remark_of_sim: "(iccid, day)" }
    }),
    Step.Function({
      name: "remarked",
      definition: `() returns trigger language plpgsql as $$ begin new.remark := 'new'; return new; end $$`
    }),
    Step.Trigger({
      name: "sim_remarked",
      table: "sim",
      when: "before insert",
      definition: "for each row execute function simplan.remarked()"
    }),
    Step.Statement({
      does: "changes rows",
      tables: ["sim"],
      blocks: "nothing",
      work: "scan",
      text: "update simplan.sim set remark = 'old'"
    }),
    Step.Statement({
      does: "fills the table remark",
      tables: ["sim"],
      blocks: "nothing",
      work: "copy",
      text: "insert into simplan.remark select organization_id, iccid, 0, remark from simplan.sim"
    }),
    Step.Drop({ what: "index", name: "sim_listed_by_kind", table: "sim" })
  ]
}

/** Finds them. */
const indexes: Migrations.Migration = {
  name: "remarked_sims",
  steps: [
    Step.Index({ name: "sim_remarks", table: "sim", definition: "(organization_id, remark) where remark is not null" }),
    Step.Index({
      name: "subscription_folded",
      table: "subscription",
      definition: `((simplan.folded(metadata) collate "C"), organization_id, subscription_id)`,
      isUnique: true,
      folds: true
    })
  ]
}

/** What the version before the last one used, and the last one does not. */
const dropped: Migrations.Migration = {
  name: "no_remarks",
  steps: [
    Step.Statement({
      does: "drops the trigger sim_remarked",
      tables: ["sim"],
      blocks: "reads and writes",
      work: "none",
      text: "drop trigger sim_remarked on simplan.sim"
    }),
    Step.Drop({ what: "function", name: "remarked", table: "sim" }),
    Step.Drop({ what: "table", name: "remark", table: "remark" }),
    Step.Drop({ what: "column", name: "remark", table: "sim" })
  ]
}

/** This build's version and those after it. */
export const chain: Migrations.Chain = [...Migrations.all, remarks, indexes, dropped]

/** This build's version and so many of those after it. */
export const upTo = (later: number): Migrations.Chain => chain.slice(0, Migrations.latest + later)

// An index on a table of before stands alone, so that it can be built while others write: nothing
// else can be written.
export const refused: Migrations.Migration = {
  name: "both",
  // @ts-expect-error It is among other steps.
  steps: [
    Step.Columns({ table: "sim", columns: { remark: { type: "text" } } }),
    Step.Index({ name: "sim_remarks", table: "sim", definition: "(remark)" })
  ]
}

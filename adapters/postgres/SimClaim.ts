/**
 * The claim of a SIM that nobody else is given meanwhile.
 */
import { Effect } from "effect"
import type { Label, Storage } from "simplan"
import type { Database, Row, Sql } from "./Database.ts"
import * as Grouped from "./Grouped.ts"
import * as PackedSims from "./PackedSims.ts"
import * as Part from "./Part.ts"

export interface Claim {
  readonly organizationId: string
  readonly label: Label.Label
  readonly purpose: "subscription" | "mobile plan"
  readonly token: string
  readonly machineNow: number
  readonly until: number
}

/** Which SIMs serve the purpose, and in which order; each has a partial index of this very shape. */
const purposes = {
  subscription: {
    fits: `sim.is_esim and sim.hold = 'Free' and not sim.downloaded`,
    order: `recycled_at nulls first, serial`
  },
  "mobile plan": {
    fits: `sim.is_esim and not sim.mobile_plan_applied and sim.mobile_plan_target is null`,
    order: `serial`
  }
} as const

interface Outcome {
  readonly claimed: ReadonlyArray<readonly [at: number, sim: PackedSims.Packed]>
  /** Whether there is one that fits, in the snapshot: past claims and locks. Null where all got one. */
  readonly fitting: true | null
}

type Kind = Pick<Claim, "organizationId" | "label" | "purpose">

// A claim need not be on the disk before it is answered: the commit that makes use of it comes behind it in the log, and
// where a crash of the database undoes it, the SIM's version lets only one of those who then have it go on.
const unflushed = `, set_config('synchronous_commit', 'off', true)`

// As many as are asked for are chosen, in order; one that is under the claim of an asker goes to that one again.
//
// `fitting` has an order for the planner's sake, which would else read the table as a whole where it expects to find
// one soon; it takes the order out of an `exists`.
const statement = (sql: Sql, of: Kind, asked: ReadonlyArray<Claim>, isAlone: boolean) => {
  const fits = sql.literal(purposes[of.purpose].fits)
  const order = sql.literal(purposes[of.purpose].order)
  // Whoever came first asked first, and what is over for all is over for each.
  const machineNow = Math.min(...asked.map((claim) => claim.machineNow))
  const rows = asked.map(({ token, until }, at) => ({ at, token, until }))
  const tokens = asked.map(({ token }) => token)
  return sql<Row<Outcome>>`
    with asked as (
      select * from ${Part.manyRows(sql, rows, "at integer, token text, until bigint")}
    ), chosen as (
      select sim.organization_id, sim.iccid, sim.claim_token, sim.recycled_at, sim.serial
      from simplan.sim
      where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        and (
          sim.claim_until is null or sim.claim_until <= ${machineNow}::bigint
          or sim.claim_token in (select r.text from ${Part.texts(sql, tokens)})
        )
      order by ${order}
      limit ${asked.length}::int
      for update skip locked
    ), own as (
      select distinct on (asked.at) asked.at, chosen.organization_id, chosen.iccid
      from chosen join asked on asked.token = chosen.claim_token
      order by asked.at, ${order}
    ), given as (
      select own.at, own.organization_id, own.iccid from own
      union all
      select free.at, rest.organization_id, rest.iccid
      from (
        select asked.at, row_number() over (order by asked.at) as place
        from asked where asked.at not in (select own.at from own)
      ) free
      join (
        select chosen.*, row_number() over (order by ${order}) as place
        from chosen where chosen.iccid not in (select own.iccid from own)
      ) rest using (place)
    ), claimed as (
      update simplan.sim set claim_token = asked.token, claim_until = asked.until, version = sim.version + 1
      from given join asked on asked.at = given.at
      where sim.organization_id = given.organization_id and sim.iccid = given.iccid
      returning asked.at, ${sql.literal(PackedSims.value)} as value
    )
    select json_build_object(
      'claimed', coalesce((select json_agg(json_build_array(at, value)) from claimed), '[]'),
      'fitting', case when (select count(*) from claimed) < ${asked.length}::int then (
        select true from simplan.sim
        where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        order by ${order}
        limit 1
      ) end
    ) as value${isAlone ? sql.literal(unflushed) : sql.literal("")}`
}

const ofKind = (database: Database, asked: ReadonlyArray<Claim>, isAlone: boolean) => {
  const [first] = asked
  if (first === undefined) return Effect.succeed([])
  return Effect.map(
    database.write((sql) => statement(sql, first, asked, isAlone)),
    ([outcome]) => {
      const sims = new Map(outcome?.claimed)
      return asked.map(({ organizationId }, at): Storage.ClaimOutcome => {
        const sim = sims.get(at)
        if (sim !== undefined) return { _tag: "Claimed", sim: PackedSims.unpack(organizationId, sim) }
        return outcome?.fitting ? { _tag: "Busy" } : { _tag: "None" }
      })
    }
  )
}

/** Claims a SIM; under load one statement claims for several callers who want the same. */
export const run = (database: Database) => {
  const kinds = new Map<string, Grouped.Ask<Claim, Storage.ClaimOutcome, Storage.StorageError>>()
  const groupedOf = (of: Kind) => {
    const kind = JSON.stringify([of.organizationId, of.label, of.purpose])
    const known = kinds.get(kind)
    if (known !== undefined) return known
    const made = Grouped.make<Claim, Storage.ClaimOutcome, Storage.StorageError>({
      parallel: 1,
      limit: 50,
      context: database.context,
      keys: ({ token }) => [token],
      run: (asked) => Grouped.exits(asked, ofKind(database, asked, true))
    })
    kinds.set(kind, made)
    return made
  }
  // Within a transaction it is that one's setting.
  const joining = (of: Claim) =>
    Effect.map(ofKind(database, [of], false), ([outcome]): Storage.ClaimOutcome => outcome ?? { _tag: "None" })
  return (of: Claim) => Effect.flatMap(database.inTransaction, (joined) => (joined ? joining(of) : groupedOf(of)(of)))
}

/**
 * The secret keys that a database knows, and how all of its secrets are brought to the first one:
 * plain ones, and those that another key encrypted.
 *
 * The table `encryption_key` has each key that something may be encrypted with: its id, and a check
 * value that it encrypted. A key is entered before it encrypts anything, and removed when nothing
 * is encrypted with it any more.
 *
 * Re-encryption goes through the tables in small steps, each a statement of its own, while the
 * service runs. It can be stopped at any time and begun again: what has the first key already stays
 * as it is, and a value that changes meanwhile is left to the next round. When a round finds
 * nothing left, the other keys are needed no more.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Idempotency, Storage, type WebhookEndpoint } from "simplan/ports"
import { type Row, type Sql, values } from "./database/Database.ts"
import * as Columns from "./sql/Columns.ts"
import * as Secrets from "./encryption/Secrets.ts"
import type { SecretKey } from "./encryption/SecretKeys.ts"

interface Entry {
  readonly id: string
  readonly checkValue: string
}

const SETTING = "SIMPLAN_SECRET_KEY, the storage's `secretKeys`,"

const CHECKED = "simplan"

const placeOf = (id: string): Secrets.Place => ["check value", null, id]

const fits = (keys: ReadonlyArray<SecretKey>, { checkValue, id }: Entry): boolean => {
  try {
    return Secrets.makeCipher(keys).decrypt(checkValue, placeOf(id)) === CHECKED
  } catch {
    return false
  }
}

/**
 * Checks the keys at the start, so that a wrong or missing one does not show at the first read:
 * fails if a key is missing that something may be encrypted with, and enters the first key.
 */
export const check = (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<SecretKey>
): Effect.Effect<void, Storage.StorageError | SqlError.SqlError> =>
  Effect.gen(function* () {
    const entries = yield* sql<Entry>`
      select encryption_key.key_id as id, encryption_key.check_value as "checkValue" from simplan.encryption_key`
    const missing = entries.find((entry) => !fits(keys, entry))
    if (missing !== undefined) {
      const problem = keys.length === 0 ? "is not set" : "is another key, or lacks it"
      return yield* new Storage.StorageError({
        message: `Secrets in the database are encrypted with the key ${missing.id}, and ${SETTING} ${problem}`
      })
    }
    const [first] = keys
    if (first === undefined || entries.some(({ id }) => id === first.id)) return
    const checkValue = Secrets.makeCipher(keys).encrypt(CHECKED, placeOf(first.id))
    yield* sql`
      insert into simplan.encryption_key (key_id, check_value) values (${first.id}, ${checkValue})
      on conflict (key_id) do nothing`
  })

/** Removes all keys but the first: nothing is encrypted with them any more. */
const retire = (sql: SqlClient.SqlClient, first: SecretKey): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`delete from simplan.encryption_key where encryption_key.key_id <> ${first.id}`)

/** How many rows a statement reads, and at most writes. */
const STEP = 500

/**
 * How many rounds there are at most. The second one finds nothing, unless a process encrypts with
 * another key.
 */
const ROUNDS = 5

/** A row by its key, and what of it has secrets. */
interface Stored<A> {
  readonly organizationId: string
  readonly id: string
  readonly secret: A
}

/** A row's secret part as text: as it was read, and as it is to be. */
interface Change {
  readonly organizationId: string
  readonly id: string
  readonly before: string
  readonly after: string
}

type Rows<A> = Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>

interface Part<A> {
  /** The rows after that one, by their key. */
  readonly read: (sql: Sql, after: Pick<Stored<A>, "organizationId" | "id">) => Rows<Row<Stored<A>>>
  readonly turn: (turn: Secrets.Turn, stored: Stored<A>) => A
  readonly text: (secret: A) => string
  /** Changes the rows that are as they were read, and returns one row for each. */
  readonly write: (sql: Sql, changes: ReadonlyArray<Change>) => Rows<unknown>
}

const columns = Columns.of<Change>({ organizationId: "text", id: "text", before: "text", after: "text" }, [
  "organizationId",
  "id"
])

const activationCodes: Part<string> = {
  read: (sql, { id, organizationId }) => sql<Row<Stored<string>>>`
    select json_build_object('organizationId', sim.organization_id, 'id', sim.iccid, 'secret', sim.lpa)::text as value
    from simplan.sim
    where sim.lpa is not null and (sim.organization_id, sim.iccid) > (${organizationId}::text, ${id}::text)
    order by sim.organization_id, sim.iccid
    limit ${STEP}::int`,
  turn: (turn, { id, organizationId, secret }) => turn(secret, ["activation code", organizationId, id]),
  text: (secret) => secret,
  write: (sql, changes) => sql`
    update simplan.sim set lpa = r.after
    from ${Columns.rows(sql, changes, columns)}
    where sim.organization_id = r."organizationId" and sim.iccid = r.id and sim.lpa = r.before
    returning 1`
}

type EndpointSecrets = Pick<WebhookEndpoint.WebhookEndpoint, "url" | "signingKeys">

const endpoints: Part<EndpointSecrets> = {
  read: (sql, { id, organizationId }) => sql<Row<Stored<EndpointSecrets>>>`
    select json_build_object(
      'organizationId', webhook_endpoint.organization_id, 'id', webhook_endpoint.endpoint_id,
      'secret', json_build_object('url', webhook_endpoint.url, 'signingKeys', webhook_endpoint.signing_keys)
    )::text as value
    from simplan.webhook_endpoint
    where (webhook_endpoint.organization_id, webhook_endpoint.endpoint_id) > (${organizationId}::text, ${id}::text)
    order by webhook_endpoint.organization_id, webhook_endpoint.endpoint_id
    limit ${STEP}::int`,
  turn: (turn, { id, organizationId, secret }) => {
    const { signingKeys, url } = Secrets.ofEndpoint(turn)({ organizationId, endpointId: id, ...secret })
    return { url, signingKeys }
  },
  text: ({ signingKeys, url }) => JSON.stringify({ url, signingKeys }),
  write: (sql, changes) => sql`
    update simplan.webhook_endpoint set url = r.after::jsonb->>'url', signing_keys = r.after::jsonb->'signingKeys'
    from ${Columns.rows(sql, changes, columns)}
    where webhook_endpoint.organization_id = r."organizationId" and webhook_endpoint.endpoint_id = r.id
      and webhook_endpoint.url = r.before::jsonb->>'url'
      and webhook_endpoint.signing_keys = r.before::jsonb->'signingKeys'
    returning 1`
}

/** The outcomes in a table whose rows have this id. */
const outcomesIn = (table: string, name: string): Part<Idempotency.Outcome> => {
  const id = `${table}.${name}`
  return {
    read: (sql, after) => sql<Row<Stored<Idempotency.Outcome>>>`
      select json_build_object(
        'organizationId', ${sql.literal(table)}.organization_id, 'id', ${sql.literal(id)},
        'secret', ${sql.literal(table)}.outcome
      )::text as value
      from ${sql.literal(`simplan.${table}`)}
      where (${sql.literal(table)}.organization_id, ${sql.literal(id)})
        > (${after.organizationId}::text, ${after.id}::text)
      order by ${sql.literal(table)}.organization_id, ${sql.literal(id)}
      limit ${STEP}::int`,
    turn: (turn, { secret }) => Secrets.ofOutcome(turn)(secret),
    text: (secret) => JSON.stringify(secret),
    write: (sql, changes) => sql`
      update ${sql.literal(`simplan.${table}`)} set outcome = r.after::json
      from ${Columns.rows(sql, changes, columns)}
      where ${sql.literal(table)}.organization_id = r."organizationId" and ${sql.literal(id)} = r.id
        and ${sql.literal(table)}.outcome::jsonb = r.before::jsonb
      returning 1`
  }
}

const answers = outcomesIn("idempotency", "key")
const commandOutcomes = outcomesIn("command", "command_id")

/** Brings the rows of one table to the first key; returns how many had to be. */
const renew = Effect.fnUntraced(function* <A>(sql: Sql, part: Part<A>, turn: Secrets.Turn) {
  let after = { organizationId: "", id: "" }
  let renewed = 0
  while (true) {
    const rows = values(yield* part.read(sql, after))
    const changes = yield* Effect.try({
      try: () =>
        rows.flatMap((stored): ReadonlyArray<Change> => {
          const { id, organizationId, secret } = stored
          const change = { organizationId, id, before: part.text(secret), after: part.text(part.turn(turn, stored)) }
          return change.before === change.after ? [] : [change]
        }),
      catch: Secrets.unreadable
    })
    if (changes.length > 0) yield* part.write(sql, changes)
    renewed += changes.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) return renewed
    after = last
  }
})

/**
 * Brings all secrets to the first key, and returns how many rows were changed. The storage's layer
 * is to be built.
 */
export const reencrypt = (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<SecretKey>
): Effect.Effect<number, Storage.StorageError | SqlError.SqlError> =>
  Effect.gen(function* () {
    const [first] = keys
    if (first === undefined) return 0
    const turn = Secrets.renewed(Secrets.makeCipher(keys))
    let all = 0
    for (let rounds = 0; rounds < ROUNDS; rounds++) {
      const round =
        (yield* renew(sql, activationCodes, turn)) +
        (yield* renew(sql, endpoints, turn)) +
        (yield* renew(sql, answers, turn)) +
        (yield* renew(sql, commandOutcomes, turn))
      if (round === 0) {
        yield* retire(sql, first)
        return all
      }
      all += round
    }
    return yield* new Storage.StorageError({
      message:
        "Secrets are still being encrypted with another key: the processes on the database need the new key first"
    })
  })

/**
 * The check of the secret keys at the start, so that a wrong or missing key does not show at the first read.
 *
 * The table `encryption_key` has each key that something may be encrypted with: its id, and a check value that it
 * encrypted. A key is entered before it encrypts anything, and removed when nothing is encrypted with it any more.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Secrets from "./Secrets.ts"
import type { SecretKey } from "./SecretKeys.ts"

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

/** Fails if a key is missing that something may be encrypted with, and enters the first key. */
export const run = (
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
export const retire = (sql: SqlClient.SqlClient, first: SecretKey): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`delete from simplan.encryption_key where encryption_key.key_id <> ${first.id}`)

/**
 * What sessions of the database have to begin with. Those that simplan opens itself begin so. Those
 * of a host, and of a pooler that refuses settings, are refused at the start with one sentence if
 * they do not, which says what to do.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Storage } from "simplan/ports"

/** What a setting has to be, and why. */
interface Required {
  readonly value: string
  readonly because: string
}

const settings: Readonly<Record<string, Required>> = {
  array_nulls: { value: "on", because: "rows are handed in as arrays, whose nulls would become texts" },
  default_transaction_isolation: {
    value: "read committed",
    because: "a statement that waited for another one goes on with what that one has committed"
  }
}

/**
 * What sessions begin with that simplan opens itself, whatever the role or the database has set.
 */
export const startup: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(settings).map(([name, { value }]) => [name, value])
)

/**
 * What a session runs that is kept open: it is not ended because it is idle between two heartbeats.
 */
export const KEPT = "select set_config('idle_session_timeout', '0', false)"

interface Found {
  readonly user: string
  readonly settings: Readonly<Record<string, string>>
  readonly takesWrites: boolean
  readonly isStandby: boolean
  readonly isDurable: boolean
}

/** The refusal of a database that only follows another one. */
export const standby = new Storage.StorageError({
  message: "The database is a standby, which takes no writes: its primary must be named"
})

/** Fails if the settings of a session are others than simplan needs. */
export const check = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError | Storage.StorageError> {
  const names = JSON.stringify(Object.keys(settings))
  const [row] = yield* sql<{ readonly value: string }>`
    select json_build_object(
      'user', current_user,
      'settings', (
        select json_object_agg(name, current_setting(name)) from json_array_elements_text(${names}::json) asked(name)
      ),
      'takesWrites', current_setting('default_transaction_read_only') = 'off' and not pg_is_in_recovery(),
      'isStandby', pg_is_in_recovery(),
      'isDurable', current_setting('synchronous_commit') <> 'off'
    )::text as value`
  if (row === undefined) return
  const found: Found = JSON.parse(row.value)
  const { user } = found
  for (const [name, { because, value }] of Object.entries(settings)) {
    const is = found.settings[name]
    if (is === value) continue
    return yield* new Storage.StorageError({
      message: `The sessions of the database's user ${user} begin with ${name} = ${is}, but must with ${value}, because ${because}: alter role ${user} set ${name} = '${value}', or set it in the options of its connections`
    })
  }
  if (!found.takesWrites) {
    if (found.isStandby) return yield* standby
    return yield* new Storage.StorageError({
      message: `The database takes no writes of the user ${user}: the setting default_transaction_read_only is on, and must be off`
    })
  }
  if (!found.isDurable) {
    yield* Effect.logWarning(
      `Sessions of the database's user ${user} begin with synchronous_commit = off: a crash of the database may lose what was acknowledged within the second before it`
    )
  }
})

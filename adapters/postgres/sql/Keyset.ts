/**
 * The condition of a keyset page in a list by creation and id.
 */
import type { Storage } from "simplan/ports"
import type { Sql } from "../database/Database.ts"

/** What comes after the cursor, by these two columns; true without a cursor. */
export const after = (sql: Sql, columns: string, cursor: Storage.CreatedCursor | null) =>
  cursor === null ? sql`true` : sql`(${sql.literal(columns)}) > (${cursor.createdAt}::bigint, ${cursor.id}::text)`

/**
 * The file of SQLite: its one table of rows, transactions, and statements that are prepared once.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"

// `value` is the row's value as JSON, which no statement looks into. What stands beside it is its `Place` and its lease.
const SCHEMA = `
  create table if not exists row (
    kind text not null, id text not null, organization_id text not null, position integer not null, value text not null,
    list text, list_position integer, list_id text,
    queue text, due_at integer, due_id text, partition_id text, subject text,
    token text, until integer,
    unique (kind, id, organization_id));
  create index if not exists by_position on row (kind, organization_id, position, id);
  create index if not exists by_age on row (kind, position);
  create index if not exists by_list on row (list, list_position, list_id) where list is not null;
  create index if not exists by_due on row (queue, due_at, due_id) where queue is not null;
  create index if not exists by_partition on row (queue, partition_id, due_at, due_id) where queue is not null;
  create index if not exists by_subject on row (queue, subject, position, id) where subject is not null;
  create index if not exists by_lease on row (kind) where token is not null;`

export type Values = Readonly<Record<string, SQLInputValue>>
export type Fields = Readonly<Record<string, SQLOutputValue>>

export class Database {
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** Opens the file, and makes it where it is missing. Throws where another process has it. */
  constructor(file: string) {
    this.#connection = new DatabaseSync(file)
    // A commit waits until the disk has it. The lock is kept until the file is closed, or the process ends.
    this.#connection.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full")
    this.transaction(() => this.#connection.exec(SCHEMA))
  }

  close(): void {
    this.#connection.close()
  }

  transaction<A>(body: () => A): A {
    this.#connection.exec("begin immediate")
    try {
      const value = body()
      this.#connection.exec("commit")
      return value
    } catch (error) {
      // After some errors, as of a full disk, SQLite has rolled back by itself.
      if (this.#connection.isTransaction) this.#connection.exec("rollback")
      throw error
    }
  }

  /** Runs a statement; gives how many rows it has changed. */
  run(sql: string, values: Values): number {
    return Number(this.#prepared(sql).run(values).changes)
  }

  /** The rows that a statement finds, one after the other. It is not to be run again before the last one, or a break. */
  rows(sql: string, values: Values): Iterable<Fields> {
    return this.#prepared(sql).iterate(values)
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

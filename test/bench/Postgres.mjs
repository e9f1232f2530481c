// The PostgreSQL that everything is measured on: the one that the tests use, set up as an operator
// would for two cores and 4 GB. Every commit is on the disk before it is answered.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import pg from "pg"

// Counts are smaller than 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export const settings = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  wal_compression: "pglz",
  shared_buffers: "4GB",
  effective_cache_size: "8GB",
  work_mem: "16MB",
  maintenance_work_mem: "256MB",
  random_page_cost: "1.1",
  max_wal_size: "16GB",
  checkpoint_timeout: "30min",
  checkpoint_completion_target: "0.9",
  jit: "off",
  max_connections: "200"
}

/** Starts a server of our own; `stop` ends it and removes its files. */
export const start = async () => {
  const keeper = spawn(
    process.execPath,
    [fileURLToPath(new URL("../setup/databases/postgres-keeper.mjs", import.meta.url)), JSON.stringify(settings)],
    { stdio: ["pipe", "pipe", "inherit"], detached: true }
  )
  const ended = new Promise((resolve) => keeper.once("exit", resolve))
  const lines = createInterface({ input: keeper.stdout })
  const answered = async () => {
    const { error, url } = await new Promise((resolve) => {
      lines.once("line", (line) => resolve(JSON.parse(line)))
      keeper.once("exit", (code) => resolve({ error: `PostgreSQL's keeper ended with code ${code}` }))
    })
    if (url === undefined) throw new Error(`PostgreSQL cannot start: ${error}`)
    return url
  }
  const url = await answered()

  const urlOf = (name) => {
    const of = new URL(url)
    of.pathname = `/${name}`
    return of.toString()
  }

  /**
   * Runs statements one after the other on a connection of their own; gives the last one's rows.
   */
  const query = async (name, ...statements) => {
    const client = new pg.Client({ connectionString: urlOf(name) })
    await client.connect()
    try {
      let rows = []
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  }

  return {
    urlOf,
    query,
    create: async (name, template = "template1") => {
      await query("postgres", `create database "${name}" template "${template}" strategy file_copy`)
      return name
    },
    /** Has the keeper do something, such as `restart`; returns when the server is there again. */
    act: (name) => {
      const done = answered()
      keeper.stdin.write(`${name}\n`)
      return done
    },
    drop: (name) => query("postgres", `drop database if exists "${name}" with (force)`),
    stop: async () => {
      keeper.stdin.end()
      await ended
    }
  }
}

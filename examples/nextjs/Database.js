// A database of the test's own, on the PostgreSQL that DATABASE_URL names.
import { randomBytes } from "node:crypto"
import pg from "pg"

const server = process.env.DATABASE_URL

const administer = async (statement) => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

export const create = async () => {
  if (server === undefined)
    throw new Error("DATABASE_URL has to name a PostgreSQL, as a user that may create databases")
  const name = `example_${randomBytes(8).toString("hex")}`
  await administer(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) }
}

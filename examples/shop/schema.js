// The shop's own tables. Amounts are decimals of PostgreSQL: exact, and texts in JavaScript.
import { sql } from "drizzle-orm"
import { numeric, pgTable, text, timestamp } from "drizzle-orm/pg-core"

const amount = (name) => numeric(name, { precision: 18, scale: 6 })

/** A customer, and the wallet: what is in it, and what of that is set aside for orders under way. */
export const customers = pgTable("customers", {
  id: text("id").primaryKey(),
  email: text("email").notNull(),
  balance: amount("balance").notNull().default("0"),
  reserved: amount("reserved").notNull().default("0")
})

/** What has come into wallets and has left them. Its sums are the balances. */
export const entries = pgTable("entries", {
  id: text("id").primaryKey(),
  customerId: text("customer_id").notNull(),
  amount: amount("amount").notNull()
})

/** An order is `reserved`, and then `active` or `refunded`. */
export const orders = pgTable("orders", {
  id: text("id").primaryKey(),
  customerId: text("customer_id").notNull(),
  planName: text("plan_name").notNull(),
  price: amount("price").notNull(),
  state: text("state").notNull().default("reserved"),
  subscriptionId: text("subscription_id"),
  attachmentId: text("attachment_id"),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow()
})

// The checks hold whatever the code does.
const statements = [
  sql`create table if not exists customers (
    id text primary key,
    email text not null,
    balance numeric(18, 6) not null default 0,
    reserved numeric(18, 6) not null default 0,
    check (reserved >= 0 and balance >= reserved)
  )`,
  sql`create table if not exists entries (
    id text primary key,
    customer_id text not null references customers,
    amount numeric(18, 6) not null
  )`,
  sql`create table if not exists orders (
    id text primary key,
    customer_id text not null references customers,
    plan_name text not null,
    price numeric(18, 6) not null,
    state text not null default 'reserved' check (state in ('reserved', 'active', 'refunded')),
    subscription_id text,
    attachment_id text,
    created_at timestamptz not null default now()
  )`,
  sql`create index if not exists orders_of_customer on orders (customer_id, created_at)`
]

/** Makes the tables. */
export const create = async (db) => {
  for (const statement of statements) await db.execute(statement)
}

/**
 * The settings of PostgreSQL's planner for simplan's own connections. A host's pool or client keeps those of the host.
 *
 * PostgreSQL keeps the plan of a prepared statement until its tables have new statistics. A plan that was made while a
 * table was empty may read that table as a whole, and goes on doing so while thousands of rows are added. Every statement
 * has an index to use, so `enable_seqscan` is off. Small tables without an index are read as a whole all the same. Servers
 * before version 18 take such a read for so expensive that they would compile it, so `jit` is off too.
 */
export const values = { enable_seqscan: "off", jit: "off" } as const

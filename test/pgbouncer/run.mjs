// The start behind Debian's PgBouncer, in each of its modes: `npm run test:pgbouncer`.
//
// Where pgbouncer is missing it is installed by apt, which needs Debian, root and the network; where it cannot be, this
// fails and says so.
import { install } from "../setup/debian.mjs"
import * as Long from "../setup/long.mjs"

install("pgbouncer")
await Long.run("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` })

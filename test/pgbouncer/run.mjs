// The start behind Debian's PgBouncer, in each of its modes: `npm run test:pgbouncer`.
//
// Where pgbouncer is missing it is installed by apt, which needs Debian, root and the network; where it cannot be, this
// fails and says so.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "../setup/debian.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
install("pgbouncer")
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const child = spawn(process.execPath, [vitest, "run", "--config", "test/pgbouncer/vitest.config.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
})
child.once("exit", (code) => process.exit(code ?? 1))

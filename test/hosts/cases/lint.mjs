// What two linters of packages say of the tarball.
import * as Host from "../Host.mjs"

const PUBLINT = "publint@0.3.25"
const ARE_THE_TYPES_WRONG = "@arethetypeswrong/cli@0.18.5"

export const run = ({ folder, tarball }) => {
  const npx = (...args) => Host.run(folder, "npx", ["--yes", ...args])
  npx(PUBLINT, tarball, "--strict")
  // The package has ES modules only; Node's `require` loads them.
  npx("--package", ARE_THE_TYPES_WRONG, "--", "attw", tarball, "--profile", "esm-only")
}

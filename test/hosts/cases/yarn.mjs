// yarn: version 4 with Plug'n'Play, and version 1, which refuses engines that do not fit.
import * as Host from "../Host.mjs"

const YARN_4 = "@yarnpkg/cli-dist@4.18.1"
const YARN_1 = "yarn@1.22.22"

const setting = (host, name) => {
  const value = host.run("npm", ["config", "get", name]).trim()
  return value === "" || value === "null" || value === "undefined" ? undefined : value
}

/** yarn 4 reads no settings of npm: it asks the same registry, and trusts the same authorities. */
const settings = (host, folder) => {
  const [registry, authorities] = [setting(host, "registry"), setting(host, "cafile")]
  return {
    YARN_CACHE_FOLDER: `${folder}/yarn-cache`,
    YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    YARN_ENABLE_TELEMETRY: "0",
    ...(registry === undefined ? {} : { YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, "") }),
    ...(authorities === undefined ? {} : { YARN_HTTPS_CA_FILE_PATH: authorities })
  }
}

export const run = (context) => {
  // A project of yarn's has a yarn.lock.
  const plugged = Host.make(context, "yarn-4", { files: { "yarn.lock": "" } })
  const env = { ...settings(plugged, context.folder), YARN_NODE_LINKER: "pnp" }
  const yarn = (...args) => plugged.run("npx", ["--yes", "--package", YARN_4, "--", "yarn", ...args], { env })
  yarn("install")
  Host.expect("The example prints", yarn("node", "--no-warnings", "embed.mjs").trim(), Host.printed)

  const host = Host.make(context, "yarn-1")
  const flags = ["--no-lockfile", "--non-interactive", "--cache-folder", `${context.folder}/yarn-1-cache`]
  host.run("npx", ["--yes", YARN_1, "install", ...flags])
  host.embeds()
}

import { defaultServerConditions, type UserConfig } from "vite"

/**
 * Resolves `simplan` and `simplan/*` to the sources (see `exports` in package.json), so tests need
 * no build.
 */
export const fromSources = {
  ssr: { resolve: { conditions: ["simplan-source", ...defaultServerConditions] } },
  resolve: { conditions: ["simplan-source", ...defaultServerConditions] }
} satisfies UserConfig

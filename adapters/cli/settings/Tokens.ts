/**
 * The tokens that the server accepts. Tokens from the environment are used as they are. If the environment has neither,
 * both are generated once and kept in `.simplan/`. If it has only one, the API of the other is off.
 */
import { Effect, type FileSystem, Redacted } from "effect"
import type { CommandFailed } from "../output/CommandFailed.ts"
import * as Credentials from "./Credentials.ts"
import * as Secrets from "./Secrets.ts"
import type { Settings } from "./Settings.ts"

/** `Generated`: the value may be shown to the operator. `Set`: the operator set it, and it is never shown. */
export type Token = { readonly _tag: "Generated" | "Set"; readonly value: Redacted.Redacted } | { readonly _tag: "Off" }

export interface Tokens {
  readonly admin: Token
  readonly telco: Token
}

const fromSetting = (value: Redacted.Redacted | null): Token =>
  value === null ? { _tag: "Off" } : { _tag: "Set", value }

const generated = (token: string | undefined): Token => {
  if (token === undefined) return { _tag: "Off" }
  Secrets.register(token)
  return { _tag: "Generated", value: Redacted.make(token) }
}

/** The tokens of a server with these settings. */
export const of = ({
  adminToken,
  telcoToken
}: Pick<Settings, "adminToken" | "telcoToken">): Effect.Effect<Tokens, CommandFailed, FileSystem.FileSystem> => {
  if (adminToken !== null || telcoToken !== null) {
    return Effect.succeed({ admin: fromSetting(adminToken), telco: fromSetting(telcoToken) })
  }
  const fresh = { adminToken: Credentials.newToken(), telcoToken: Credentials.newToken() }
  return Effect.map(
    Credentials.change((kept) => ({ ...fresh, ...kept })),
    (kept) => ({ admin: generated(kept.adminToken), telco: generated(kept.telcoToken) })
  )
}

/** The token's value; undefined if the API is off. */
export const value = (token: Token): Redacted.Redacted | undefined => (token._tag === "Off" ? undefined : token.value)

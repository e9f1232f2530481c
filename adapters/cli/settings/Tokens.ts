/**
 * The tokens in force. Those that are set are used as they are. Where neither is set, both are made, once, and kept in
 * `.simplan/`; where only one is set, the other stays off, and its API with it.
 */
import { Effect, type FileSystem, Redacted } from "effect"
import type { CommandFailed } from "../output/CommandFailed.ts"
import * as Credentials from "./Credentials.ts"
import * as Secrets from "./Secrets.ts"
import type { Settings } from "./Settings.ts"

/** A token in force: made here, so that its value may be shown, or set by the operator. */
export type Token =
  | { readonly _tag: "Made"; readonly value: Redacted.Redacted }
  | { readonly _tag: "Set"; readonly value: Redacted.Redacted }
  | { readonly _tag: "Off" }

export interface Tokens {
  readonly admin: Token
  readonly telco: Token
}

const given = (token: Redacted.Redacted | null): Token =>
  token === null ? { _tag: "Off" } : { _tag: "Set", value: token }

const made = (token: string | undefined): Token => {
  if (token === undefined) return { _tag: "Off" }
  Secrets.know(token)
  return { _tag: "Made", value: Redacted.make(token) }
}

/** The tokens of a server with these settings. */
export const of = (
  settings: Pick<Settings, "adminToken" | "telcoToken">
): Effect.Effect<Tokens, CommandFailed, FileSystem.FileSystem> => {
  const { adminToken, telcoToken } = settings
  if (adminToken !== null || telcoToken !== null) {
    return Effect.succeed({ admin: given(adminToken), telco: given(telcoToken) })
  }
  const [admin, telco] = [Credentials.newToken(), Credentials.newToken()]
  return Effect.map(
    Credentials.change((kept) => ({ adminToken: admin, telcoToken: telco, ...kept })),
    (kept) => ({ admin: made(kept.adminToken), telco: made(kept.telcoToken) })
  )
}

/** Its value; undefined where it is off. */
export const value = (token: Token): Redacted.Redacted | undefined => (token._tag === "Off" ? undefined : token.value)

/**
 * The secrets that a process made for itself, a file each, so that a shell reads them with `cat` and no log has to show
 * them. They are those of the process that started last in the directory.
 */
import { Effect, type FileSystem } from "effect"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as OwnerFile from "./OwnerFile.ts"

const names = {
  /** The API key of the demonstration. */
  demoKey: "demo.key",
  adminToken: "admin.token",
  telcoToken: "telco.token",
  /** The token of the simulated telco. */
  telcoKey: "telco.key"
} as const

export type Secret = keyof typeof names

/** The file of a secret, in the working directory. */
export const file = (secret: Secret): string => `${OwnerFile.DIRECTORY}/${names[secret]}`

/** Writes the files of the secrets. */
export const write = (
  secrets: { readonly [Name in Secret]?: string | undefined }
): Effect.Effect<void, CommandFailed, FileSystem.FileSystem> =>
  Effect.forEach(
    (["demoKey", "adminToken", "telcoToken", "telcoKey"] as const).filter((secret) => secrets[secret] !== undefined),
    (secret) =>
      Effect.mapError(OwnerFile.write(file(secret), `${secrets[secret]}\n`), ({ reason }) =>
        impossible(`${file(secret)} cannot be written (${reason._tag}).`)
      ),
    { discard: true }
  )

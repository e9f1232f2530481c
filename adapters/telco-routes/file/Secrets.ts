/**
 * Reads the secrets that a settings file names: the content of a file, relative to the settings file, or a variable of the
 * environment. No message contains a secret.
 */
import { Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type * as Shape from "./Shape.ts"

/** Where secrets are looked for. */
export interface Places {
  /** The folder of the settings file. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The code of an error of the file system. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unreadable"

const content = (path: string): Result.Result<string, string> =>
  Result.try({ try: () => readFileSync(path, "utf8"), catch: codeOf })

/** The secret, without white space around it; the failure ends a sentence that begins with the field. */
export const read = (secret: Shape.Secret, { directory, env }: Places): Result.Result<Redacted.Redacted, string> => {
  if ("env" in secret) {
    const value = env[secret.env]?.trim() ?? ""
    return value === ""
      ? Result.fail(`names the environment variable ${secret.env}, which is not set or empty`)
      : Result.succeed(Redacted.make(value))
  }
  const path = resolve(directory, secret.file)
  const text = content(path)
  if (Result.isFailure(text)) return Result.fail(`names the file ${path}, which cannot be read (${text.failure})`)
  const value = text.success.trim()
  return value === "" ? Result.fail(`names the file ${path}, which is empty`) : Result.succeed(Redacted.make(value))
}

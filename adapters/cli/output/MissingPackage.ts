/**
 * What the command line says where a package is missing that it needs.
 */

/** The package whose import failed; undefined for any other error. */
export const nameOf = (error: unknown): string | undefined => {
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
  return isMissing ? /^Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined
}

/** Writes one sentence that says what to install, and gives the exit code. Rejects with any other error. */
export const report = async (error: unknown): Promise<number> => {
  const name = nameOf(error)
  if (name === undefined) throw error
  process.stderr.write(
    `simplan's command line needs the package ${name}, which is not installed: npm install ${name}\n`
  )
  return 1
}

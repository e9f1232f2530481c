/** What the tests of this process write to standard output, standard error and the console. */
let written = ""

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = (chunk: string | Uint8Array, ...rest: ReadonlyArray<unknown>) => {
    written += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
    return Reflect.apply(write, stream, [chunk, ...rest])
  }
}

for (const level of ["debug", "error", "info", "log", "warn"] as const) {
  const log = console[level].bind(console)
  console[level] = (...parts: ReadonlyArray<unknown>) => {
    written += `${parts.map(String).join(" ")}\n`
    log(...parts)
  }
}

/** Forgets what was written before. */
export const clear = (): void => {
  written = ""
}

export const text = (): string => written

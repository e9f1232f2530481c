/**
 * What printed files have in common: the formatter's form, and doc comments.
 */
import { spawnSync } from "node:child_process"

/** The text as the formatter has it. */
export const formatted = (text: string): string => {
  const { status, stderr, stdout } = spawnSync("npx", ["biome", "format", "--stdin-file-path=printed.ts"], {
    encoding: "utf8",
    input: text
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** A doc comment, in lines of at most 100 characters. */
export const documented = (text: string): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trim()
    if (line.length > 96) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines.length === 1 && text.length < 93
    ? `/** ${text} */`
    : ["/**", ...lines.map((line) => ` * ${line}`), " */"].join("\n")
}

/**
 * What printed files have in common: the formatter's form, doc comments, and tables between markers
 * of a document.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

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

/** A table of a document: its heads, and a row a line. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("\n", " ").replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n")

/**
 * Compares the text between `<!-- Printed: name.` and `<!-- End of name.` of a document with what
 * is printed; with `--update` the document gets it.
 */
export const between = async (path: string, name: string, printed: string): Promise<void> => {
  const text = readFileSync(`${root}${path}`, "utf8")
  const [start, end] = [`<!-- Printed: ${name}.`, `<!-- End of ${name}.`]
  const whole = text.replace(
    new RegExp(`(${start}[^>]*-->\n).*?(?=${end})`, "s"),
    (_, marker: string) => `${marker}\n${printed}\n\n`
  )
  expect(whole, `${path} has the markers of ${name}`).toContain(printed)
  await expect(whole).toMatchFileSnapshot(`${root}${path}`)
}

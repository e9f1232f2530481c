/**
 * The tables of documents that are printed from declarations: settings, commands, codes of errors
 * and methods. `npm run print` writes them anew, and `npm run check` compares them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Output } from "../../adapters/cli/output/Output.ts"
import * as Program from "../../adapters/cli/Program.ts"
import * as Definitions from "../../adapters/cli/settings/Definitions.ts"
import { Codes } from "../../adapters/fields/index.ts"
import { between, table } from "./Printed.ts"

it("prints the settings", async () => {
  const rows = Definitions.table.map(({ meaning, name, shown }) => [
    `\`${name}\``,
    meaning.replaceAll("<", "\\<"),
    shown.replaceAll("<", "\\<")
  ])
  expect(rows.length).toBeGreaterThan(40)
  await between("adapters/cli/settings.md", "settings", table(["variable", "meaning", "default"], rows))
})

it("prints the codes of errors", async () => {
  const rows = Object.entries(Codes.table).map(([code, [status, meaning]]) => [`\`${code}\``, String(status), meaning])
  expect(rows.length).toBeGreaterThan(60)
  await between("examples/errors.md", "codes", table(["code", "status", "meaning"], rows))
})

/** What all commands that call a server have. */
const SHARED = new Set(["--json", "--url", "--token", "--key", "--audit-reason"])

const help = async (args: ReadonlyArray<string>): Promise<string> => {
  let text = ""
  const out = (written: string) => (text += written)
  const output = { out, err: out, isTerminal: false, columns: 1_000, width: 1_000 }
  await Effect.runPromise(Effect.provideService(Program.run([...args, "--help"]), Output, output))
  return text
}

/** A part of a help text, a line for each row. */
const linesOf = (text: string, part: string): ReadonlyArray<string> => {
  const [, after = ""] = text.split(`\n${part}\n`)
  const [own = ""] = after.split(/\n(?=\S)/)
  return own.split("\n").filter((line) => /^ {2}\S/.test(line))
}

/** The rows of a command and of those below it. */
const commandsOf = async (path: ReadonlyArray<string>, meaning: string): Promise<Array<ReadonlyArray<string>>> => {
  const text = await help(path)
  const below = linesOf(text, "SUBCOMMANDS").map((line) => /^ {2}(\S+) +(.+)$/.exec(line) ?? [])
  const flags = linesOf(text, "FLAGS").flatMap((line) => /^ {2}(--[\w-]+)/.exec(line)?.[1] ?? [])
  const named = linesOf(text, "ARGUMENTS").map((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? "")
  const rows: Array<ReadonlyArray<string>> = []
  if (path.length > 0 && (below.length === 0 || flags.length > 0)) {
    const own = flags.filter((flag) => !SHARED.has(flag)).map((flag) => `\`${flag}\``)
    rows.push([`\`simplan ${[...path, ...named].join(" ")}\``, meaning, own.join(", ")])
  }
  for (const [, name = "", about = ""] of below) rows.push(...(await commandsOf([...path, name], about)))
  return rows
}

it("prints the commands", async () => {
  const rows = await commandsOf([], "")
  expect(rows.length).toBeGreaterThan(50)
  await between("adapters/cli/commands.md", "commands", table(["command", "what it does", "its own flags"], rows))
})

const types = fileURLToPath(new URL("../../adapters/promise/types/", import.meta.url))

/** The members of each interface of the library's types, with their comments. */
const members = new Map(
  readdirSync(types, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) =>
      Array.from(
        readFileSync(`${types}${path}`, "utf8").matchAll(/^export interface (\w+)[^{\n]*\{\n(.*?)^\}/gms),
        ([, name = "", body = ""]) =>
          [
            name,
            Array.from(
              body.matchAll(/^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}readonly (\w+): (\w*)/gms),
              ([, comment = "", member = "", type = ""]) => ({
                member,
                type,
                text: comment
                  .replace(/\n? +\* ?/g, " ")
                  .replaceAll(/\s+/g, " ")
                  .trim()
              })
            )
          ] as const
      )
    )
)

/** The first sentence of a comment, and the errors that it names. */
const said = (text: string): readonly [meaning: string, errors: string] => {
  const [meaning = "", errors = ""] = text.split(/ ?Errors: /)
  const [first = ""] = meaning.split(/(?<=\.) (?=[A-Z])/)
  return [first, errors.split(". ")[0]?.replace(/\.$/, "") ?? ""]
}

it("prints the methods of the library", async () => {
  const rows = (members.get("Simplan") ?? []).flatMap(({ member, text, type }) => {
    const group = members.get(type) ?? []
    if (group.length === 0) return [[`\`${member}\``, ...said(text)]]
    return group.map((one) => [`\`${member}.${one.member}\``, ...said(one.text)])
  })
  expect(rows.length).toBeGreaterThan(80)
  await between("examples/methods.md", "methods", table(["method", "what it does", "its own errors"], rows))
})

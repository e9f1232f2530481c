/**
 * What is printed from the views: the declarations that hosts read, and the functions that copy a value of the domain to the
 * host's form and to the wire's. `npm run print` writes them anew.
 */
import { Jobs, Organizations, ServiceOperators, View, Webhooks } from "simplan/views"
import { describe, expect, it } from "vitest"
import { documented, formatted } from "./Printed.ts"

/** The views of each module of `src/views`. */
const modules: Readonly<Record<string, object>> = { Jobs, Organizations, ServiceOperators, Webhooks }

const isView = (value: unknown): value is View.View =>
  typeof value === "object" && value !== null && "meaning" in value && "own" in value

const typeOf = (form: View.Form, isRequest: boolean): string => {
  switch (form._tag) {
    case "Text":
    case "Token":
    case "Id":
    case "Limited":
      return "string"
    case "Json":
      return "Readonly<Record<string, unknown>>"
    case "UnixSeconds":
      return "Date"
    case "Instant":
      return isRequest ? "InstantInput" : "Date"
    case "Boolean":
      return "boolean"
    case "Integer":
      return "number"
    case "OneOf":
      return form.name ?? literals(form.values)
    case "NullOr":
      return `${typeOf(form.of, isRequest)} | null`
    case "List":
      return `ReadonlyArray<${typeOf(form.of, isRequest)}>`
    case "Nested":
      return form.view.name
  }
}

const literals = (values: ReadonlyArray<string>): string => values.map((value) => JSON.stringify(value)).join(" | ")

/** The types that other modules have, with their imports. */
const elsewhere = {
  EventType: 'import type { EventType } from "./Events.ts"',
  OfOrganization: 'import type { OfOrganization } from "./Organizations.ts"'
}

/** The types of texts that have a name of their own, each once. */
const namedIn = (views: ReadonlyArray<View.View>): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  const visit = (form: View.Form, meaning: string): void => {
    if (form._tag === "NullOr" || form._tag === "List") visit(form.of, meaning)
    if (form._tag === "OneOf" && form.name !== null && !(form.name in elsewhere) && !found.has(form.name)) {
      found.set(form.name, `${documented(`${meaning}.`)}\nexport type ${form.name} = ${literals(form.values)}`)
    }
  }
  for (const { fields } of views) for (const { kind, meaning } of Object.values(fields)) visit(kind.form, meaning)
  return [...found.values()]
}

const declared = ({ base, isRequest, meaning, name, own }: View.View): string => {
  const fields = Object.entries(own).map(
    ([name, { isOptional, kind, meaning }]) =>
      `${documented(`${meaning}.`)}\nreadonly ${name}${isOptional ? "?" : ""}: ${typeOf(kind.form, isRequest)}${
        isOptional ? " | undefined" : ""
      }`
  )
  const extended = base === null ? "" : ` extends ${base.name}`
  return `${documented(`${meaning}.`)}\nexport interface ${name}${extended} {\n${fields.join("\n")}\n}`
}

const copyName = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`

/** A face: how it has an instant, and one that may be null. */
interface Face {
  readonly instant: string
  readonly instantOrNull: string
  /** An instant that the wire has in seconds. */
  readonly seconds: (value: string) => string
}

const copied = (value: string, form: View.Form, face: Face): string => {
  switch (form._tag) {
    case "Instant":
      return `${face.instant}(${value})`
    case "UnixSeconds":
      return face.seconds(value)
    case "Nested":
      return `${copyName(form.view.name)}(${value})`
    case "List": {
      const one = copied("one", form.of, face)
      return one === "one" ? value : `${value}.map((one) => ${one})`
    }
    case "NullOr": {
      if (form.of._tag === "Instant") return `${face.instantOrNull}(${value})`
      const some = copied(value, form.of, face)
      return some === value ? value : `${value} === null ? null : ${some}`
    }
    default:
      return value
  }
}

const copies = (
  views: ReadonlyArray<View.View>,
  face: Face,
  type: (name: string) => string,
  nameOf: (name: string, field: View.AnyField) => string | null
): ReadonlyArray<string> =>
  views
    // One with more fields than another answer is made of the copy of that.
    .filter(({ base, isRequest }) => !isRequest && base?.isRequest !== false)
    .map(({ fields, name: view }) => {
      const lines = Object.entries(fields).flatMap(([name, field]) => {
        const written = nameOf(name, field)
        return written === null ? [] : [`${written}: ${copied(`of.${field.from ?? name}`, field.kind.form, face)}`]
      })
      return `export const ${copyName(view)} = (of: View.Of<typeof Views.${view}>): ${type(view)} => ({\n${lines.join(",\n")}\n})`
    })

const received = (value: string, form: View.Form): string =>
  form._tag === "Instant" || (form._tag === "NullOr" && form.of._tag === "Instant") ? `Query.instant(${value})` : value

/** From the bodies of requests. */
const bodies = (views: ReadonlyArray<View.View>): ReadonlyArray<string> =>
  views.flatMap(({ isRequest, name: view, own }) => {
    const lines = Object.entries(own).flatMap(([name, field]) => {
      const written = View.wireName(name, field)
      const value = received(`of.${written}`, field.kind.form)
      const { from = name, preset } = field
      const whole = preset === undefined || value.startsWith("Query.") ? value : `${value} ?? ${JSON.stringify(preset)}`
      return written === null ? [] : [`${from}: ${whole}`]
    })
    return isRequest && view.startsWith("Create")
      ? `export const ${copyName(view)} = (of: View.OwnOnWire<typeof Views.${view}>): View.OwnOf<typeof Views.${view}> => ({\n${lines.join(",\n")}\n})`
      : []
  })

const PRINTED = "Printed from the views by `npm run print`"

/** The imports that a text uses, by their names. */
const imported = (text: string, imports: Readonly<Record<string, string>>): string =>
  Object.entries(imports)
    .flatMap(([name, line]) => (new RegExp(`\\b${name}\\b`).test(text) ? [line] : []))
    .join("\n")

describe.each(Object.entries(modules))("%s", (module, exported) => {
  const views = Object.values(exported).filter(isView)
  const file = (folder: string): string => `../../adapters/${folder}/printed/${module}.ts`

  it("declares what hosts see and send", async () => {
    const text = [...namedIn(views), ...views.map(declared)].join("\n\n")
    const imports = imported(text, {
      InstantInput: 'import type { InstantInput } from "../Calls.ts"',
      ...(module === "Organizations" ? {} : elsewhere)
    })
    await expect(
      formatted(`/** ${PRINTED}: what hosts see and send. */
${imports}

${text}
`)
    ).toMatchFileSnapshot(file("promise/types"))
  })

  it("copies to the host's form", async () => {
    const face = {
      instant: "Arguments.toDate",
      instantOrNull: "Arguments.toDateOrNull",
      seconds: (value: string) => `Arguments.toDate(${value})`
    }
    const functions = copies(
      views,
      face,
      (name) => `Types.${name}`,
      (name) => name
    )
    await expect(
      formatted(`/** ${PRINTED}: copies to the host's form. */
import type { ${module} as Views, View } from "simplan/views"
import * as Arguments from "../../Arguments.ts"
import type * as Types from "../../types/printed/${module}.ts"

${functions.join("\n\n")}
`)
    ).toMatchFileSnapshot(file("promise/resources"))
  })

  it("copies to the wire's form", async () => {
    const face = {
      instant: "Time.toIso",
      instantOrNull: "Responses.instant",
      seconds: (value: string) => `Math.floor(${value} / 1000)`
    }
    const functions = copies(views, face, (name) => `View.OnWire<typeof Views.${name}>`, View.wireName)
    const text = [...functions, ...bodies(views)].join("\n\n")
    const imports = imported(text, {
      Time: 'import { Time } from "simplan"',
      Views: `import type { ${module} as Views, View } from "simplan/views"`,
      Query: 'import * as Query from "../../wire/Query.ts"',
      Responses: 'import * as Responses from "../../wire/Responses.ts"'
    })
    await expect(
      formatted(`/** ${PRINTED}: copies to the wire's form, and from the bodies of requests. */
${imports}

${text}
`)
    ).toMatchFileSnapshot(file("http/handlers"))
  })
})

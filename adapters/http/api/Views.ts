/**
 * Views on the wire: the schemas of answers and of bodies. They transform nothing but the ids of
 * requests.
 */
import { Schema } from "effect"
import { TextLimit } from "simplan/ports"
import { View } from "simplan/views"
import { Fields } from "../../fields/index.ts"
import * as Schemas from "./Schemas.ts"

const answered = (form: View.Form): Schema.Codec<unknown> => {
  switch (form._tag) {
    case "Text":
    case "Token":
    case "Id":
    case "Iccid":
    case "Resource":
    case "Label":
    case "Limited":
      return Schema.String
    case "Instant":
      return Schemas.Timestamp
    case "UnixSeconds":
      return Schema.Int
    case "Json":
      return Schema.Record(Schema.String, Schema.Unknown)
    case "Boolean":
      return Schema.Boolean
    case "Number":
      return Schema.Number
    case "Integer":
      return Schema.Int
    case "OneOf":
      return Schema.Literals(form.values)
    case "NullOr":
      return Schema.NullOr(answered(form.of))
    case "List":
      return Schema.Array(answered(form.of))
    case "Nested":
      return answer(form.view)
  }
}

const sent = (form: View.Form): Schema.Codec<unknown> => {
  switch (form._tag) {
    case "Text":
      return Schemas.text(TextLimit.ID)
    case "Id":
      return Fields.asId(Schemas.text(TextLimit.ID))
    case "Iccid":
      return Fields.asIccid(Fields.UndecodedIccid)
    case "Resource":
      return Fields.asResource(Schemas.text(TextLimit.ID))
    case "Label":
      return Schemas.Label
    case "Limited":
      return Schemas.text(form.limit)
    case "Instant":
      return Schemas.Instant
    case "Token":
    case "UnixSeconds":
    case "Json":
    case "Boolean":
    case "Number":
      return answered(form)
    case "Integer":
      return Schemas.integer(form.minimum, form.maximum)
    case "OneOf":
      return Fields.oneOf(form.values)
    case "NullOr":
      return Schema.NullOr(sent(form.of))
    case "List":
      return form.most === null ? Schema.Array(sent(form.of)) : Schemas.list(sent(form.of), form.most)
    case "Nested":
      return body(form.view)
  }
}

/** What is sent for an id is described, too: the document has what is sent. */
const described = ({ examples, kind: { form }, meaning }: View.AnyField, schemaOf: typeof sent) => {
  if (schemaOf === sent && form._tag === "Id") return Schemas.idOfBody(meaning, ...texts(examples[0]))
  if (schemaOf === sent && form._tag === "Iccid") return Schemas.iccidOfBody(meaning, ...texts(examples[0]))
  return Schemas.field(schemaOf(form), meaning, ...examples)
}

/** What is sent in a query: text. */
const parameter = ({ examples: [example], kind: { form }, meaning }: View.AnyField) => {
  switch (form._tag) {
    case "Id":
      return Schemas.idOfQuery(meaning, ...texts(example))
    case "Iccid":
      return Schemas.iccidOfQuery(meaning, ...texts(example))
    case "Resource":
      return Schemas.resourceOfQuery(meaning, ...texts(example))
    case "Instant":
      return Schemas.field(Schemas.InstantParameter, meaning, ...texts(example))
    case "Boolean":
      return Schemas.field(Schemas.Flag, meaning, ...(typeof example === "boolean" ? [`${example}` as const] : []))
    case "Integer":
      return Schemas.field(Schemas.integerParameter(form.minimum, form.maximum), meaning, ...texts(`${example}`))
    case "OneOf":
      return Schemas.field(Fields.oneOf(form.values), meaning, ...texts(example))
    case "Limited":
      return Schemas.field(Schemas.Parameter.check(Schemas.within(form.limit)), meaning, ...texts(example))
    default:
      return Schemas.field(Schemas.Parameter.check(Schemas.within(TextLimit.ID)), meaning, ...texts(example))
  }
}

const texts = (example: unknown): readonly [] | readonly [string] => (typeof example === "string" ? [example] : [])

/** The texts that a query has for values of the wire. */
export type AsText<Value> = Value extends boolean ? `${Value}` : Value extends number ? string : Value

type Parameters<Fields extends View.AnyFields> = {
  readonly [Name in keyof Fields as View.WireName<Name, Fields[Name]>]: Schema.optionalKey<
    Schema.Codec<AsText<View.WireOf<Fields[Name]["kind"]>>>
  >
}

/** The parameters of a query for these fields; if their types count, all are optional. */
export function query<Fields extends View.AnyFields>(fields: Fields): Parameters<Fields>
export function query(fields: View.AnyFields): Schema.Struct.Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const onWire = View.wireName(name, field)
      const schema = parameter(field)
      return onWire === null ? [] : [[onWire, field.isOptional ? Schema.optionalKey(schema) : schema]]
    })
  )
}

/** The parameter of a path for a field. */
export const pathParameter = ({ examples: [example], kind: { form }, meaning }: View.AnyField) => {
  switch (form._tag) {
    case "Id":
      return Schemas.idOfPath(meaning, ...texts(example))
    case "Iccid":
      return Schemas.iccidOfPath(meaning, ...texts(example))
    default:
      return Schemas.nameOfPath(meaning, ...texts(example))
  }
}

const structOf = (fields: View.AnyFields, schemaOf: typeof sent) => {
  const named = Object.entries(fields).flatMap(([name, field]) => {
    const onWire = View.wireName(name, field)
    if (onWire === null) return []
    const schema = described(field, schemaOf)
    return [[onWire, field.isOptional ? Schema.optionalKey(schema) : schema]]
  })
  const made: Readonly<Record<string, Schema.Codec<unknown>>> = Object.fromEntries(named)
  return Schema.Struct(made)
}

/** The schema of answers that the document has no name for. */
export const unnamed = ({ fields }: View.View): Schema.Codec<unknown> => structOf(fields, answered)

/** The schemas of answers that were made: the document has each once. */
const answers = new Map<View.View, Schema.Codec<unknown>>()

/** The schema of answers. */
export function answer<Fields extends View.AnyFields>(view: View.View<Fields>): Schema.Codec<View.Wire<Fields>>
export function answer(view: View.View): Schema.Codec<unknown> {
  const { fields, meaning, name } = view
  const made = answers.get(view) ?? structOf(fields, answered).annotate({ identifier: name, description: meaning })
  answers.set(view, made)
  return made
}

/**
 * The schema of bodies, which have these fields; without any, those that the view's base does not
 * have.
 */
export function body<Own extends View.AnyFields>(view: View.View<View.AnyFields, Own>): Schema.Codec<View.Wire<Own>>
export function body(view: View.View, fields: View.AnyFields): Schema.Codec<unknown>
export function body({ example, meaning, name, own }: View.View, fields = own): Schema.Codec<unknown> {
  return structOf(fields, sent).annotate({
    identifier: name,
    description: meaning,
    ...(example !== undefined && { examples: [example] })
  })
}

/**
 * Views: what a host, a caller of the HTTP API and a page see of a resource, and what their
 * requests hold. Each field is declared once, with its meaning and an example.
 *
 * A view's fields have the names that hosts read. From a view come the wire's schemas
 * (`simplan/http-api`), the decoder of a host's arguments, the functions that copy a value of the
 * domain to a host's form (instants as `Date`) and to the wire's form (names with underscores,
 * instants as text), and the declarations for hosts, which `npm run print` prints.
 */
import * as Samples from "../domain/Samples.ts"
import type { Label } from "../domain/Label.ts"
import type { Instant } from "../domain/Time.ts"

/** What a value is. Adapters make their schemas from it. */
export type Form =
  | {
      readonly _tag:
        | "Text"
        | "Token"
        | "Id"
        | "Iccid"
        | "Resource"
        | "Label"
        | "Instant"
        | "UnixSeconds"
        | "Json"
        | "Boolean"
        | "Number"
    }
  | { readonly _tag: "Limited"; readonly limit: number }
  | { readonly _tag: "Integer"; readonly minimum: number; readonly maximum: number }
  | { readonly _tag: "OneOf"; readonly values: ReadonlyArray<string>; readonly name: string | null }
  | { readonly _tag: "NullOr"; readonly of: Form }
  | { readonly _tag: "List"; readonly of: Form; readonly most: number | null }
  | { readonly _tag: "Nested"; readonly view: View }

/** What a value is, with its types in the domain, on the wire and in answers to hosts. */
export interface Kind<Domain, Wire, Host = Domain> {
  /** What the schemas of adapters are made from. */
  readonly form: Form
  /** Only a type: no value has it. */
  readonly types?: { readonly domain: Domain; readonly wire: Wire; readonly host: Host }
}

/** Any kind. */
export type AnyKind = Kind<unknown, unknown, unknown>

/** The type of a kind's values in the domain. */
export type DomainOf<K> = K extends Kind<infer Domain, unknown, unknown> ? Domain : never

/** The type of a kind's values on the wire. */
export type WireOf<K> = K extends Kind<unknown, infer Wire, unknown> ? Wire : never

/** The type of a kind's values in answers to hosts. */
export type HostOf<K> = K extends Kind<unknown, unknown, infer Host> ? Host : never

/** Text that is taken as it is. In a request it names something. */
export const text: Kind<string, string> = { form: { _tag: "Text" } }

/** The token of a place in a list. */
export const token: Kind<string, string> = { form: { _tag: "Token" } }

/** An id. A request may spell it in any letters (rule I13). */
export const id: Kind<string, string> = { form: { _tag: "Id" } }

/** An ICCID. A request may write it in any way (rule I1). */
export const iccid: Kind<string, string> = { form: { _tag: "Iccid" } }

/** An id or an ICCID, as requests name things that have either. */
export const resource: Kind<string, string> = { form: { _tag: "Resource" } }

/** A network supply tier. Answers on the wire may have others, of a newer version. */
export const label: Kind<Label, string, Label> = { form: { _tag: "Label" } }

/** An instant: a `Date` for hosts, RFC 3339 text on the wire. */
export const instant: Kind<Instant, string, Date> = { form: { _tag: "Instant" } }

/** An instant that the wire has in Unix seconds: a `Date` for hosts. */
export const unixSeconds: Kind<Instant, number, Date> = { form: { _tag: "UnixSeconds" } }

/** A JSON object of many kinds. */
export const json: Kind<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>> = {
  form: { _tag: "Json" }
}

/** True or false. */
export const boolean: Kind<boolean, boolean> = { form: { _tag: "Boolean" } }

/** Any number. */
export const number: Kind<number, number> = { form: { _tag: "Number" } }

/** Text with at most so many characters in a request (rule W9). */
export const limited = (limit: number): Kind<string, string> => ({ form: { _tag: "Limited", limit } })

/** A whole number between the bounds, which are included. */
export const integer = (minimum = 0, maximum: number = Number.MAX_SAFE_INTEGER): Kind<number, number> => ({
  form: { _tag: "Integer", minimum, maximum }
})

/**
 * Kinds of many values have names, so that a declaration has what is in them once, and not for the
 * domain, the wire and the host each.
 */
export interface OneOf<Value extends string> extends Kind<Value, Value> {}

/** One of these texts. A name is that of the type that hosts have for it. */
export const oneOf = <Value extends string>(
  values: ReadonlyArray<Value>,
  name: string | null = null
): OneOf<Value> => ({
  form: { _tag: "OneOf", values, name }
})

/** As `OneOf`. */
export interface NullOr<K extends AnyKind> extends Kind<DomainOf<K> | null, WireOf<K> | null, HostOf<K> | null> {}

/** Null, or a value of this kind. */
export const nullOr = <K extends AnyKind>({ form }: K): NullOr<K> => ({ form: { _tag: "NullOr", of: form } })

/** As `OneOf`. */
export interface List<K extends AnyKind>
  extends Kind<ReadonlyArray<DomainOf<K>>, ReadonlyArray<WireOf<K>>, ReadonlyArray<HostOf<K>>> {}

/** Values of this kind; of a request, not more than so many. */
export const list = <K extends AnyKind>({ form }: K, most: number | null = null): List<K> => ({
  form: { _tag: "List", of: form, most }
})

/** As `OneOf`. */
export interface Nested<Fields extends AnyFields> extends Kind<Domain<Fields>, Wire<Fields>, Host<Fields>> {}

/** A value of another view. */
export const nested = <Fields extends AnyFields>(view: View<Fields>): Nested<Fields> => ({
  form: { _tag: "Nested", view }
})

/** A field of a view. */
export interface Field<K extends AnyKind, Optional extends boolean> {
  /** What its values are. */
  readonly kind: K
  /** For people, without a full stop. */
  readonly meaning: string
  /** A value of the wire. */
  readonly examples: readonly [] | readonly [WireOf<K>]
  /** Whether a request may leave it out. */
  readonly isOptional: Optional
}

/** How a field is named elsewhere, if not by the rule. */
interface Names {
  /** In the domain. */
  readonly from?: string
  /** On the wire; null if it is not there. */
  readonly on?: string | null
}

/** Any field. */
export type AnyField = Field<AnyKind, boolean> & Names & { readonly preset?: unknown }

/** The fields of any view. */
export type AnyFields = Readonly<Record<string, AnyField>>

/** A field, with its meaning and an example of the wire. */
export const field = <K extends AnyKind>(
  kind: K,
  meaning: string,
  ...examples: readonly [] | readonly [WireOf<K>]
): Field<K, false> => ({ kind, meaning, examples, isOptional: false })

/** A field of a request that may be left out. */
export const optional = <K extends AnyKind>(
  kind: K,
  meaning: string,
  ...examples: readonly [] | readonly [WireOf<K>]
): Field<K, true> => ({ kind, meaning, examples, isOptional: true })

/** A field of a request that has this value, of the domain, if it is left out. */
export const preset = <K extends AnyKind, const Value extends DomainOf<K>>(
  value: Value,
  field: Field<K, true>
): Field<K, true> & { readonly preset: Value } => ({ ...field, preset: value })

/**
 * A field that has another name in the domain, or one on the wire that does not follow from its
 * own.
 */
export const named = <F extends AnyField, const Other extends Names>(other: Other, field: F): F & Other => ({
  ...field,
  ...other
})

/** What a host, a caller and a page see, or send. */
export interface View<Fields extends AnyFields = AnyFields, Own extends AnyFields = AnyFields> {
  /** The name of its type. */
  readonly name: string
  /** For people, without a full stop. */
  readonly meaning: string
  /** Whether it is sent. The path of a request has the fields of its base, and the body its own. */
  readonly isRequest: boolean
  /** The view whose fields it has before its own. */
  readonly base: View | null
  /** The fields that its base does not have. */
  readonly own: Own
  /** All fields, in the order in which answers have them. */
  readonly fields: Fields
  /** An example of its own fields; absent if those of the fields go together. */
  readonly example?: Wire<Own>
}

/** A view whose fields' examples do not go together. */
export const exampled = <Fields extends AnyFields, Own extends AnyFields>(
  example: Wire<Own>,
  view: View<Fields, Own>
): View<Fields, Own> => ({ ...view, example })

const make =
  (isRequest: boolean) =>
  (name: string, meaning: string, own: AnyFields, base: View | null = null): View => ({
    name,
    meaning,
    isRequest,
    base,
    own,
    fields: { ...base?.fields, ...own }
  })

/** Makes a view of one kind. */
interface Make {
  <const Own extends AnyFields>(name: string, meaning: string, own: Own): View<Own, Own>
  <const Own extends AnyFields, Base extends AnyFields>(
    name: string,
    meaning: string,
    own: Own,
    base: View<Base>
  ): View<Base & Own, Own>
}

/** What is answered. */
export const answer: Make = make(false)

/** What is sent. */
export const request: Make = make(true)

/** Of an answer to a request that is repeated: whether to repeat it. */
export const hasMore = [boolean, "Whether more are left, for another request", false] as const

/** Of a request that is repeated: where the answer before has ended. */
export const after = [
  nullOr(token),
  "The `next` of the answer before; absent or null at first",
  Samples.cursor
] as const

/** Where to repeat it from. */
export const next = [nullOr(token), "Where to go on, for the field `after`; null where none are left", null] as const

/** A request with no field. */
export const nothing = request("Nothing", "Nothing", {})

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"

type Underscored<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Digit | Uppercase<First>
    ? `_${Lowercase<First>}${Underscored<Rest>}`
    : `${First}${Underscored<Rest>}`
  : Name

/** The name of a field on the wire. */
export type WireName<Name, F> = F extends { readonly on: infer On extends string | null }
  ? On extends string
    ? On
    : never
  : Underscored<Name & string>

/** The name of a field on the wire: `planId` is `plan_id`. Null if it is not there. */
export const wireName = (name: string, { on }: Pick<AnyField, "on">): string | null =>
  on !== undefined ? on : name.replace(/[A-Z0-9]/g, (character) => `_${character.toLowerCase()}`)

type DomainName<Name, F> = F extends { readonly from: infer From extends string } ? From : Name

type Required<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { isOptional: true } ? never : Name
}[keyof Fields]

/** What is in the domain in any case: a field with a preset need not be sent. */
type Given<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { isOptional: true }
    ? Fields[Name] extends { readonly preset: unknown }
      ? Name
      : never
    : Name
}[keyof Fields]

/** A value of a view in the domain. */
export type Domain<Fields extends AnyFields> = {
  readonly [Name in Given<Fields> as DomainName<Name, Fields[Name]> & PropertyKey]: DomainOf<Fields[Name]["kind"]>
} & {
  readonly [Name in Exclude<keyof Fields, Given<Fields>> as DomainName<Name, Fields[Name]> & PropertyKey]?: DomainOf<
    Fields[Name]["kind"]
  >
}

/** A value of a view on the wire. */
export type Wire<Fields extends AnyFields> = {
  readonly [Name in Required<Fields> as WireName<Name, Fields[Name]>]: WireOf<Fields[Name]["kind"]>
} & {
  readonly [Name in Exclude<keyof Fields, Required<Fields>> as WireName<Name, Fields[Name]>]?: WireOf<
    Fields[Name]["kind"]
  >
}

/** A value of a view in an answer to a host. */
export type Host<Fields extends AnyFields> = {
  readonly [Name in keyof Fields]: HostOf<Fields[Name]["kind"]>
}

/** The value in the domain that a view is made of. */
export type Of<V> = V extends { readonly fields: infer Fields extends AnyFields } ? Domain<Fields> : never

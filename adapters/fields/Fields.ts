/**
 * The fields that requests and settings hold: their schemas (rules W8 and W9), which transform
 * nothing but ICCIDs and ids, so that the decoded form of others equals what was sent; the address
 * of a telco bridge, and addresses as logs show them, without a password; and the check of texts
 * that storages cannot keep (rule W1), those with NUL characters or lone surrogates.
 */
import { Schema, type SchemaAST, SchemaGetter } from "effect"
import { Iccid as Iccids, Id as Ids, Label as Labels, PackageEnd, SmdpHistory, TextLimit, Time } from "simplan/ports"

/**
 * What is wrong with a text; undefined if nothing is. The message follows the name of the field.
 */
export const textProblem = (text: string): string | undefined =>
  TextLimit.isStorable(text) ? undefined : TextLimit.NOT_STORABLE

/**
 * A name from a path. One that no storage can keep becomes one that nothing has, so the answer is
 * 404 as for any.
 */
const named = (text: string): string => (textProblem(text) === undefined ? text : "\uFFFD")

/** The id of a path (rule I13). */
export const idOfPath = (text: string): string => Ids.canonical(named(text))

const iccidOfPath = (text: string): string => Iccids.canonical(named(text))

/** The ICCID or the id that a text is. */
export const resource = (text: string): string => Iccids.parse(text) ?? Ids.canonical(text)

/** A text that is decoded to what the service has for it. Clients send it as they have it. */
const decoded =
  (decode: (text: string) => string) =>
  <S extends Schema.Codec<string>>(text: S) =>
    text.pipe(Schema.decode({ decode: SchemaGetter.transform(decode), encode: SchemaGetter.passthrough() }))

/** The text with an ICCID, in whatever way it is written (rule I1). */
export const asIccid = decoded(Iccids.canonical)

/** The text with an id, in whatever letters (rule I13). */
export const asId = decoded(Ids.canonical)

/** The text with an id or an ICCID. */
export const asResource = decoded(resource)

/** The text of a path with an ICCID, with an id, or with a name that is taken as it is. */
export const asIccidOfPath = decoded(iccidOfPath)
export const asIdOfPath = decoded(idOfPath)
export const asNameOfPath = decoded(named)

// JSON in UTF-8 can hold such a character only as an escape.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

/** Whether the strings of this JSON need to be checked one by one. */
export const isSuspicious = (json: string): boolean => SUSPICIOUS.test(json)

/** How deep a value may be nested if its strings are checked. */
const DEPTH = 64

/** The first field of a JSON value with a bad string, and what is wrong with it. */
export const firstTextProblem = (
  value: unknown,
  name = "",
  depth = 0
): { readonly field: string; readonly message: string } | undefined => {
  if (typeof value === "string") {
    const message = textProblem(value)
    return message === undefined ? undefined : { field: name === "" ? "body" : name, message }
  }
  if (typeof value !== "object" || value === null) return undefined
  if (depth === DEPTH) return { field: "body", message: "is nested too deeply" }
  const inArray = Array.isArray(value)
  for (const [key, part] of Object.entries(value)) {
    if (textProblem(key) !== undefined)
      return { field: name === "" ? "body" : name, message: `${TextLimit.NOT_STORABLE} in its keys` }
    const found = firstTextProblem(part, inArray ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a text names an instant, as `Time.fromIso` has it. */
export const isInstant = Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined, {
  message: "must be an RFC 3339 date-time with a zone, such as 2026-01-31T12:00:00Z",
  isInstant: true,
  toJsonSchema: () => ({ format: "date-time" })
})

/** An instant as text (rule W8). */
export const Instant = Schema.String.check(isInstant)

/** One of these texts. */
export const oneOf = <const Values extends ReadonlyArray<string>>(values: Values) =>
  Schema.Literals(values).annotate({ message: `must be one of ${values.join(", ")}` })

/** A network supply tier. */
export const Label = oneOf(Labels.labels).annotate({ identifier: "Label" })

/** The ISO 3166-1 alpha-2 code of a country, in either case. */
export const CountryCode = Schema.String.check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, { message: "must be an ISO 2-letter country code" })
)

/** A state of an eSIM's profile at the SM-DP+. */
export const SmdpState = oneOf(SmdpHistory.states)

/** Why a telco has ended a package (rule R4). */
export const EndReason = oneOf(PackageEnd.reasons)

/** A number, whole and between the bounds, which are included. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Int.annotate({ message: "must be an integer" }).check(
    Schema.isBetween(
      { minimum, maximum },
      { message: `must be an integer of at least ${minimum} and at most ${maximum}` }
    )
  )

/** Rule W9: that a text has at most so many characters. */
export const within = (limit: number) =>
  Schema.makeFilter((text: string) => TextLimit.isWithin(text, limit), {
    message: TextLimit.message(limit),
    toJsonSchema: () => ({ maxLength: limit })
  })

/** A text with at most so many characters (rule W9). */
export const text = (limit: number) => Schema.String.check(within(limit))

/** That every storage can keep a text. */
export const isStorable = Schema.makeFilter((sent: string) => textProblem(sent) === undefined, {
  message: TextLimit.NOT_STORABLE
})

/** A text with at most so many characters that every storage can keep. */
export const storable = (limit: number) => text(limit).check(isStorable)

const isNotEmpty = Schema.isMinLength(1, { message: "must not be empty" })

/** A text that is not empty. */
export const NonEmpty = Schema.String.check(isNotEmpty)

/**
 * A text with an ICCID. A number for one has lost digits, so that messages say what it has to be.
 */
const IccidText = Schema.String.annotate({ message: "must be text" })

/** An ICCID that is not empty; `Reports` of the core decodes it. */
export const ReportedIccid = IccidText.check(isNotEmpty)

/** An ICCID as it came, with at most so many characters (rule W9). */
export const UndecodedIccid = IccidText.check(within(TextLimit.ID))

/**
 * How many items an array has at most, as its schema says by `list`; undefined if it says
 * nothing.
 */
export const mostItems = ({ checks }: SchemaAST.AST): number | undefined => {
  const found = checks?.map(({ annotations }) => annotations?.["mostItems"]).find((most) => most !== undefined)
  return typeof found === "number" ? found : undefined
}

/**
 * An array with at most so many items. Bodies are refused for their length before their items are
 * decoded.
 */
export const list = <S extends Schema.Top>(item: S, most: number) =>
  Schema.Array(item).check(Schema.isMaxLength(most, { message: `must have at most ${most} items`, mostItems: most }))

/** What the address of a telco bridge must be; the contract's paths are appended to it. */
export const TELCO_URL = "an address such as https://bridge.example/telco, without a password or a query"

/** The address of a telco bridge, without trailing slashes; undefined for any other text. */
export const telcoUrl = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, password, protocol, search, username } = new URL(text)
  const isPlain = /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
  return isPlain ? text.replace(/\/+$/, "") : undefined
}

/** An address without what may be a secret, for a message. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, "//***@").replace(/\?.*/, "?***")

/** The truth value of a parameter; null if it is absent. */
export const flag = (text: "true" | "false" | undefined): boolean | null =>
  text === undefined ? null : text === "true"

/**
 * The settings of an account at Airalo in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { Fields } from "../fields/index.ts"
import { FileSettings } from "../telco-calls/index.ts"
import * as HttpPartnerApi from "./HttpPartnerApi.ts"

const schema = ({ secret, ...secrets }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("airalo"),
    /** Of version 2 of its Partner API. */
    url: FileSettings.orElse(FileSettings.WebUrl, HttpPartnerApi.URL),
    /** The id of the application. */
    client_id: Fields.NonEmpty,
    /** In requests for a token, and in no error or log. */
    client_secret: secret,
    watch: FileSettings.watch,
    ...FileSettings.supplier(secrets, HttpPartnerApi.CALLS_PER_SECOND)
  })

const NAMES = {
  ...FileSettings.SUPPLIER_NAMES,
  client_id: "clientId",
  client_secret: "clientSecret",
  watch: "lateMillis"
} as const

/** An account at Airalo. */
export const kind = FileSettings.kind(["packages"], schema, (of) => Struct.renameKeys(of, NAMES))

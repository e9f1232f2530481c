/**
 * The settings of an account at eSIM Go in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { FileSettings } from "../telco-calls/index.ts"
import * as HttpApi from "./HttpApi.ts"

const schema = ({ secret, ...secrets }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("esim-go"),
    /** Of version 2.5 of its API. */
    url: FileSettings.orElse(FileSettings.WebUrl, HttpApi.URL),
    /** In every call, and in no error or log. */
    key: secret,
    /** Whether the account manager has enabled refunds. */
    refunds: FileSettings.orElse(Schema.Boolean.annotate({ message: "must be true or false" }), false),
    watch: FileSettings.watch,
    ...FileSettings.supplier(secrets, HttpApi.CALLS_PER_SECOND)
  })

const NAMES = { ...FileSettings.SUPPLIER_NAMES, watch: "lateMillis" } as const

/** An account at eSIM Go. */
export const kind = FileSettings.kind(["packages", "sms"], schema, (of) => Struct.renameKeys(of, NAMES))

/**
 * The settings of an account at eSIM Access in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { FileSettings } from "../telco-calls/index.ts"
import * as HttpApi from "./HttpApi.ts"

const schema = ({ secret, ...secrets }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("esim-access"),
    /** Of version 1 of its open API. */
    url: FileSettings.orElse(FileSettings.WebUrl, HttpApi.URL),
    /** In every call, and in no error or log. */
    access_code: secret,
    ...FileSettings.supplier(secrets, HttpApi.CALLS_PER_SECOND)
  })

const NAMES = { ...FileSettings.SUPPLIER_NAMES, access_code: "accessCode" } as const

/** An account at eSIM Access. */
export const kind = FileSettings.kind(["packages", "sms"], schema, (of) => Struct.renameKeys(of, NAMES))

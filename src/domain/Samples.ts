/**
 * The values that examples share, so that those of all operations tell one story: Acme sells a plan
 * for Sweden.
 */
import * as ActivationCode from "./ActivationCode.ts"

export const iccid = "8944500000000000018"
export const replacedIccid = "8944500000000000026"

/** The ICCID of an eSIM that was bought of a supplier. */
export const boughtIccid = "8944500000000000075"
export const lpa = "LPA:1$rsp.example.com$A1B2-C3D4-E5F6"
export const { apple: appleLink, android: androidLink } = ActivationCode.linksOf(lpa)
export const imsi = "240080000000018"
export const msisdn = "46700000018"
export const subscriberId = "45046"
export const organizationId = "019bab1c-0b80-7000-8000-0000000000a1"
export const keyId = "019bab1c-0b80-7000-8000-0000000000b2"
export const processId = "9f3c0b7a54e1d2c86b0f1e2d3c4a5b69"
export const endpointId = "019bab1c-0b80-7000-8000-0000000000c3"
export const planId = "019bab1c-0b80-7000-8000-000000000001"
export const coverageId = "019bab1c-0b80-7000-8000-000000000002"
export const simId = "019bab1c-0b80-7000-8000-000000000003"
export const subscriptionId = "019bab1c-0b80-7000-8000-000000000004"
export const attachmentId = "019bab1c-0b80-7000-8000-000000000005"
export const packageId = "019bab1c-0b80-7000-8000-000000000006"
export const operatorId = "019bab1c-0b80-7000-8000-000000000007"
export const serviceOperatorId = "019bab1c-0b80-7000-8000-00000000000e"
export const eventId = "019bab1c-0b80-7000-8000-000000000008"
export const deliveryId = `${eventId}:${endpointId}`
export const requestId = "019bab1c-0b80-7000-8000-000000000009"
export const auditId = "019bab1c-0b80-7000-8000-00000000000a"
/** What an organization says of a plan. */
export const planMetadata = "article 1200"

/** What a plan is sold for. */
export const price = "19.90"
export const currency = "SEK"
export const reason = "The customer's phone was stolen"
export const problemId = "release:019bab1c-0b80-7000-8000-00000000000b"
export const jobId = "release:019bab1c-0b80-7000-8000-00000000000d"
export const commandId = "019bab1c-0b80-7000-8000-00000000000c"

/**
 * When the organization was made, when the plan was bought, used for the first time, and when it
 * ends.
 */
export const start = "2026-01-10T12:00:00.000Z"
export const bought = "2026-01-10T12:30:00.000Z"
export const used = "2026-01-11T08:15:00.000Z"
export const end = "2026-02-10T08:15:00.000Z"

/** Tokens of pages: of lists ordered by creation, and of the inventory. */
export const cursor = "MTc2ODA0NjQwMDAwMDowMTliYWIxYy0wYjgwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDE"
export const inventoryCursor = "MjU"

/** A catalogue of one country, one operator and one profile, which go together. */
export const catalogue = {
  countries: [{ iso2: "SE", iso3: "SWE", name: "Sweden" }],
  operators: [
    {
      operator_id: operatorId,
      name: "Telia",
      country: "SE",
      supported_rats: ["4G", "5G"],
      mcc_mnc: ["240-01"],
      labels: ["Green", "Aqua"]
    }
  ],
  profiles: [{ coverage_id: coverageId, label: "Green", region_name: "Sweden", region_code: "SE", iso2_list: ["SE"] }]
}

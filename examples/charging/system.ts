// The charging system as a telco of plain functions: each makes its call, and the journal does the rest.
import { type AdapterCall, TelcoRefused, type TelcoSystem, TelcoUnavailable } from "simplan/promise"

export const chargingSystem = (url: string): TelcoSystem => {
  const send = async ({ signal }: AdapterCall, method: string, path: string, body: object | null = null) => {
    const json = body === null ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method, signal, ...json })
    const text = await response.text()
    if (response.status === 422) throw new TelcoRefused(text)
    if (!response.ok) throw new TelcoUnavailable(`The charging system answers ${response.status}`)
    return JSON.parse(text)
  }
  return {
    listPackages: async ({ iccid }, call) => {
      const bundles: ReadonlyArray<{ readonly id: string }> = await send(call, "GET", `/sims/${iccid}/bundles`)
      return bundles.map(({ id }) => ({ telcoPackageId: id }))
    },
    createPackage: async ({ iccid, packageId, terms, window }, call) => {
      const allowance = { mb: terms.dataMegaBytes, days: terms.periodDays, start: window?.start ?? null }
      const { id } = await send(call, "POST", "/bundles", { sim: iccid, note: packageId, ...allowance })
      return { telcoPackageId: id }
    },
    suspendPackage: ({ telcoPackageId }, call) => send(call, "POST", `/bundles/${telcoPackageId}/stop`),
    cancelPackage: ({ telcoPackageId }, call) => send(call, "DELETE", `/bundles/${telcoPackageId}`),
    sendSms: ({ from, iccid, text }, call) => send(call, "POST", "/texts", { sim: iccid, from, text }),
    releaseProfile: ({ iccid }, call) => send(call, "POST", `/sims/${iccid}/release`),
    setMobilePlan: ({ applied, iccid }, call) => send(call, "PUT", `/sims/${iccid}/roaming`, { on: applied })
  }
}

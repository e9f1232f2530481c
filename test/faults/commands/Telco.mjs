// A telco whose books are tables beside those of simplan, so that all processes share it. It is
// slow at times, and its calls are idempotent by their keys, as the port asks for.
import { setTimeout as sleep } from "node:timers/promises"

/** @param {{ query: (text: string, values?: unknown[]) => Promise<unknown> }} pool */
export const telco = (pool) => {
  const pause = () => sleep(Math.random() * 60)
  return {
    /** @param {{ packageId: string, iccid: string }} order */
    createPackage: async ({ iccid, packageId }) => {
      await pause()
      await pool.query("insert into telco_package (id, iccid) values ($1, $2) on conflict do nothing", [
        packageId,
        iccid
      ])
      await pause()
      return { telcoPackageId: packageId, activationAt: null, expirationAt: null }
    },
    /** @param {{ packageId: string }} of */
    cancelPackage: async ({ packageId }) => {
      await pause()
      await pool.query("update telco_package set cancelled = true where id = $1", [packageId])
    },
    suspendPackage: async () => {},
    sendSms: async () => {},
    setMobilePlan: async () => {},
    releaseProfile: async () => {}
  }
}

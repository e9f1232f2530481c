// A telco of one's own: plain functions, here over books in memory. Each is idempotent by its key: the same call again has
// the first one's outcome and no further effect.
import { TelcoRefused } from "simplan/promise"

export const createTelco = () => {
  const packages = new Map()
  const messages = new Map()
  const mobilePlans = new Map()
  const done = new Set()

  /** Does something once for each key. */
  const once = (key, act) => {
    if (!done.has(key)) act()
    done.add(key)
  }

  return {
    /** What the telco knows, for tests. */
    books: { packages, messages, mobilePlans },
    functions: {
      createPackage: async ({ iccid, packageId }) => {
        const made = packages.get(packageId)
        if (made?.state === "cancelled") throw new TelcoRefused("The package was cancelled")
        const created = made ?? { telcoPackageId: `${iccid}/${packages.size + 1}`, state: "live" }
        packages.set(packageId, created)
        return { telcoPackageId: created.telcoPackageId }
      },
      suspendPackage: async ({ packageId }) => {
        const found = packages.get(packageId)
        if (found?.state === "live") packages.set(packageId, { ...found, state: "suspended" })
      },
      cancelPackage: async ({ packageId }) => void packages.set(packageId, { state: "cancelled" }),
      sendSms: async ({ iccid, messageId, text }) => void messages.set(messageId, { iccid, text }),
      releaseProfile: async () => undefined,
      setMobilePlan: async ({ applied, iccid, key }) => once(key, () => mobilePlans.set(iccid, applied))
    }
  }
}

// Notifies the customer of usage that crosses a threshold, and of a new state of an eSIM
// (customer_notification.md). What was sent stays in the books, with the answer. Each is sent once:
// the documents know no second try.

export const make = () => {
  const settings = { packages: null, es2plus: null, thresholds: [50, 80] }
  const sent = []

  const send = async (url, body) => {
    if (url === null) return
    const one = { url, body, status: null, answer: null, isAcknowledged: false }
    sent.push(one)
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.timeout(10_000)
      })
      one.status = response.status
      one.answer = await response.json()
      one.isAcknowledged = response.status === 200 && one.answer?.result?.code === 0
    } catch (error) {
      one.answer = String(error)
    }
  }

  return {
    sent,
    /** Where notifications go, and the two percentages of usage that are notified. */
    configure: (next) => Object.assign(settings, next),
    /**
     * Notifies each threshold that usage has crossed. The units are those that are used, as in the
     * documents' example.
     */
    usage: async (subscriber, charged) => {
      for (const { after, before, package: one } of charged) {
        for (const percentage of settings.thresholds) {
          const units = Math.floor((one.allowanceBytes * percentage) / 100)
          if (before >= units || after < units) continue
          await send(settings.packages, {
            subscriberPrepaidPackage: {
              unitsBefore: before,
              unitsAfter: after,
              thresholdPercentage: String(percentage),
              thresholdUnits: String(units),
              subscriberPackageId: one.id,
              totalUnits: one.allowanceBytes,
              subscriberId: subscriber.subscriberId,
              subscriberIMSI: subscriber.imsi,
              usageType: "DATA"
            }
          })
        }
      }
    },
    profile: ({ eid, iccid, imsi, subscriberId }, status) =>
      send(settings.es2plus, { iccid, imsi, eid, subsId: subscriberId, status })
  }
}

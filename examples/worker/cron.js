// In hosts without processes that last, a call every minute does what is due.

/** What a cron job answers. */
export const tick = async (simplan) => {
  const { finished, nextDueAt } = await simplan.drain({ within: "20 seconds" })
  return { finished, nextDueAt }
}

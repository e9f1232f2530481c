// The host's own timing rule: when a traveller is told that the package ends.

const DAY = 24 * 60 * 60 * 1000

/** A day before the end, or at the beginning of a package that is shorter. */
export const reminderAt = ({ activationAt, expirationAt }) =>
  new Date(Math.max(activationAt.getTime(), expirationAt.getTime() - DAY))

/**
 * The kinds of journal entries that are about one call, by its key. They are not read once the call is not made again,
 * so they are purged. Entries of other kinds, such as those of packages, stay.
 */

/** A message. */
export const MESSAGE = "sms"
/** A change of a SIM's mobile plan. */
export const MOBILE_PLAN = "mobile-plan"
/** A profile's release for a new download. */
export const RELEASE = "release"
/** A refused end of a package. */
export const END = "end"
/** The telco that one of these calls was first sent to. */
export const ROUTE = "call-route"

/** What `Purge` deletes once it is old. */
export const all = [MESSAGE, MOBILE_PLAN, RELEASE, END, ROUTE] as const

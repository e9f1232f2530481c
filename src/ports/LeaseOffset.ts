/**
 * By how much the times of leases in a storage are ahead of this process's monotonic time (rule W13), so that the leases of
 * all processes compare, whatever the clocks of their machines show.
 *
 * An adapter whose storage several machines share provides this reference beside its ports, for what keeps leases of its
 * own in that storage. The default is for a process that is alone.
 */
import { Context } from "effect"

/** In milliseconds. The two differ while the storage's own clock has just been set, so that no lease ends early. */
export interface LeaseOffset {
  /** Of the times at which leases are taken. */
  readonly ofClaims: number
  /** Of the times until which leases last. */
  readonly ofLeases: number
}

/** By how much the times of leases in the storage are ahead; read it again for each lease. */
export const LeaseOffset = Context.Reference<LeaseOffset>("simplan/LeaseOffset", {
  defaultValue: () => ({ ofClaims: 0, ofLeases: 0 })
})

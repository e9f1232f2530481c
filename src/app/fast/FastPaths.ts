/**
 * Which fast paths the use cases take. Each one can be switched off: the service then does the same work in the plain
 * way. `npm run test:plain` runs the suite with all of them off.
 */
export interface FastPaths {
  /** Plans are cached (`PlanCache`). */
  readonly planCache: boolean
  /** Free eSIMs are reserved ahead of requests (`SimReservationPool`). */
  readonly simReservationPool: boolean
}

export const defaults: FastPaths = { planCache: true, simReservationPool: true }

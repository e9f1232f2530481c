// What goes wrong with the next requests of an operation.
//
//   { fault: "lose_request" } the connection ends, and nothing is done { fault: "lose_answer", at:
//   "start" } done, and the connection ends: before the first byte of the answer,
//                                                  after its headers ("headers"), in the middle of its body ("body"),
//                                                  or after a number of its bytes
//   { fault: "late", millis: 2000 } no answer; done after this time, whether or not somebody still
//   waits { fault: "late", millis: 2000, cut: true } the same, and the connection ends at once {
//   fault: "slow", millis: 2000 } done at once, answered after this time { fault: "twice" } done
//   once, answered twice { fault: "garbage" } done, and answered with something that is no answer {
//   fault: "refuse", code: 14, text: "no" } not done, answered with a code { fault:
//   "traffic_control" } not done, answered with code 100 { fault: "http", status: 502 } not done,
//   answered with an HTTP status
//
// All have `operation` (any if it is left out), `containing` (a part of the request's text; any if
// it is left out) and `times` (1; null for all from now on).

const kinds = ["lose_request", "lose_answer", "late", "slow", "twice", "garbage", "refuse", "traffic_control", "http"]

export const make = () => {
  let faults = []
  return {
    set: (next) => {
      for (const { fault } of next) if (!kinds.includes(fault)) throw new Error(`There is no fault ${fault}`)
      faults = next.map((fault) => ({ times: 1, ...fault }))
    },
    /** The fault of a request that has just come; null if there is none. */
    take: (operation, text) => {
      const fault = faults.find(
        (one) => one.times !== 0 && (one.operation ?? operation) === operation && text.includes(one.containing ?? "")
      )
      if (fault === undefined) return null
      if (fault.times !== null) fault.times -= 1
      return fault
    },
    left: () => faults.filter(({ times }) => times !== 0)
  }
}

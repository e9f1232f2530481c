/**
 * Faults in corrections of SIMs, in what the audit log has of changes, and in actions on all that a
 * filter takes: I9, I14, W11, W15.
 */
import { faultsOf, instead } from "./Fault.ts"

const identities = [
  ...faultsOf("ActivationCode.ts", "creation", [
    ["I8", "an activation code has to have its prefix", "/^(?:LPA:)?1", instead("?1", "1")],
    ["I8", "an activation code is stored as it is written", '.replace(/^(?:LPA:)?/i, "LPA:")', ""]
  ]),
  ...faultsOf("SimImport.ts", "creation", [
    ["I1", "a number is an ICCID", 'if (typeof named.iccid !== "string") return', "if (false) return"],
    [
      "I1",
      "a number is said to have too few digits",
      'return unreadable("iccid must be text")',
      'return unreadable("iccid must have 18 to 20 digits")'
    ]
  ])
]

const audited = [
  ...faultsOf("AuditEntry.ts", "creation", [
    ["W11", "what stays is in the entry", "(before[field] ?? null) !== (after[field] ?? null)", "true"],
    [
      "W11",
      "before and after are exchanged",
      "before: cut(before[field]), after: cut(after[field])",
      "before: cut(after[field]), after: cut(before[field])"
    ],
    ["W11", "a fact of any length is kept", "fact.length > FACT ?", "false ?"]
  ]),
  ...faultsOf("SimCorrection.ts", "creation", [
    ["W11", "the audit log opens a profile", "ActivationCode.shortened(lpa)", "lpa"],
    ["W11", "no reason of a withdrawal is in the audit log", "`withdrawn, ${reason}`", '"withdrawn"']
  ])
]

const HELD = "holder(allocation) !== null && (label !== sim.label || isAllocated)"

const inCorrection = faultsOf("SimCorrection.ts", "creation", [
  [
    "I9",
    "a withdrawal without a reason is refused for its status",
    'status === "withdrawn") {',
    'status === "withdrawn" && reason !== null) {'
  ],
  [
    "I9",
    "a reason goes with any status",
    'if (reason !== null) return fail("reason", "must be absent',
    'if (false) return fail("reason", "must be absent'
  ],
  ["I8", "any text is an activation code", "ActivationCode.parse(lpa) !== undefined &&", ""],
  ["I9", "an activation code may be longer than it is stored", " && TextLimit.isWithin(lpa, TextLimit.LPA)", ""],
  ["I9", "an activation code cannot be removed", "if (lpa === null || ", "if ("],
  [
    "I9",
    "a correction to nothing is taken",
    "[label, lpa, status, tags].every((field) => field === undefined)",
    "false"
  ],
  ["I9", "a SIM in service is corrected", HELD, "false"],
  ["I9", "a SIM in service gets another label", HELD, "holder(allocation) !== null && isAllocated"],
  ["I9", "a SIM in service is withdrawn", HELD, "holder(allocation) !== null && label !== sim.label"],
  [
    "I9",
    "a SIM in service gets no other activation code",
    HELD,
    "holder(allocation) !== null && (label !== sim.label || lpa !== sim.lpa || isAllocated)"
  ],
  [
    "I9",
    "a SIM in service is not corrected to what it is",
    HELD,
    "holder(allocation) !== null && (label === sim.label || isAllocated)"
  ],
  [
    "I9",
    "a SIM that is on its way counts as in service",
    "isInService(sim) ? new SimInUse({ iccid }) : new SimBusy({ iccid })",
    "new SimInUse({ iccid })"
  ],
  ["I9", "a withdrawn SIM counts as held", "holder(allocation) !== null", 'allocation._tag !== "Free"'],
  ["I9", "a SIM that is on its way is withdrawn", "holder(allocation) !== null", 'allocation._tag === "InService"'],
  [
    "S8",
    "a SIM that its subscription has left is made available before its end",
    'withdrawnReason(sim) === null ? status?._tag === "Withdrawn" : status !== undefined',
    'status?._tag === "Withdrawn"'
  ],
  ["I9", "a withdrawal is forgotten", 'if (status._tag === "Withdrawn") return {', "if (false) return {"],
  [
    "I9",
    "a withdrawn SIM stays so",
    'return withdrawnReason({ allocation }) === null ? allocation : { _tag: "Free" }',
    "return allocation"
  ],
  [
    "I9",
    "a SIM in service is made available",
    'return withdrawnReason({ allocation }) === null ? allocation : { _tag: "Free" }',
    'return { _tag: "Free" }'
  ],
  ["I9", "a physical SIM gets an activation code", "if (lpa !== null && !sim.isEsim) {", "if (false) {"],
  ["I9", "a SIM keeps its label", "{ ...sim, label, lpa, tags,", "{ ...sim, lpa, tags,"],
  ["I9", "a SIM keeps its activation code", "{ ...sim, label, lpa, tags,", "{ ...sim, label, tags,"],
  ["I14", "a SIM keeps its tags", "{ ...sim, label, lpa, tags,", "{ ...sim, label, lpa,"],
  [
    "I9",
    "another reason is no change",
    "withdrawnReason(before) === withdrawnReason(next)",
    "(withdrawnReason(before) === null) === (withdrawnReason(next) === null)"
  ],
  ["I9", "another label is no change", "before.label === next.label ?", "true ?"],
  ["I9", "another activation code is no change", "before.lpa === next.lpa ?", "true ?"],
  ["I14", "other tags are no change", "Tags.isSame(before.tags, next.tags) ?", "true ?"]
])

const inTags = faultsOf("Tags.ts", "creation", [
  ["I14", "a SIM has any number of tags", "given.length > MOST", "false"],
  ["I14", "a tag may be blank", 'if (tag === "") return', "if (false) return"],
  ["I14", "a tag has what separates tags", "if (FORBIDDEN.test(tag)) return", "if (false) return"],
  ["I14", "a tag may be longer than it is shown", 'TextLimit.check("tags", tag, TextLimit.TAG)', "Result.succeed(tag)"],
  ["I14", "tags differ in their case alone", "const name = folded(tag)", "const name = tag"],
  ["I14", "tags stand as they were given", ".sort(([one], [other]) => Order.String(one, other))", ""],
  ["I14", "tags in other letters are the same", "tag === other[at]", "true"]
])

const WITHDRAWN = "Result.fail(new SimWithdrawn({ iccid, reason: allocation.reason }))"

const inProvisioning = faultsOf("Provisioning.ts", "creation", [
  ["I9", "a withdrawn SIM is put into service", `return ${WITHDRAWN}`, "return Result.void"],
  [
    "S8",
    "a SIM that its subscription has left is put into service until its end is confirmed",
    `return ${WITHDRAWN}`,
    `return allocation.ending === null ? ${WITHDRAWN} : Result.void`
  ]
])

const inMobilePlan = faultsOf("MobilePlan.ts", "creation", [
  ["I9", "a mobile plan is applied to a withdrawn SIM", "if (wanted.apply && reason !== null)", "if (false)"],
  [
    "I9",
    "a withdrawn SIM gets the mobile plan that was asked for before",
    " && !(change.target && withdrawnReason(sim) !== null)",
    ""
  ],
  ["I9", "a withdrawn SIM keeps its mobile plan", "if (wanted.apply && reason !== null)", "if (reason !== null)"]
])

const inSim = faultsOf("Sim.ts", "creation", [
  [
    "I9",
    "a withdrawn SIM counts as unused",
    'allocation._tag !== "Free"\n',
    'allocation._tag !== "Free" && allocation._tag !== "Withdrawn"\n'
  ],
  [
    "I9",
    "a withdrawn SIM is free",
    'sim.isEsim && sim.allocation._tag === "Free" && !sim.downloaded',
    'sim.isEsim && (sim.allocation._tag === "Free" || sim.allocation._tag === "Withdrawn") && !sim.downloaded'
  ],
  [
    "I9",
    "a withdrawn SIM is chosen for a mobile plan",
    "withdrawnReason(sim) === null && sim.mobilePlan",
    "sim.mobilePlan"
  ],
  ["I9", "no SIM shows why it is withdrawn", 'allocation._tag === "Withdrawn" ? allocation.reason : null', "null"]
])

const inBulk = faultsOf("BulkAction.ts", "limits", [
  [
    "W15",
    "what is made after the preview is acted on",
    "createdUntil === null || subscription.createdAt <= createdUntil",
    "true"
  ],
  [
    "W15",
    "what is made at the last instant is left out",
    "subscription.createdAt <= createdUntil",
    "subscription.createdAt < createdUntil"
  ],
  ["W15", "an attachment that is not confirmed is suspended", "!of.attachment.confirmed || ", ""],
  ["W15", "other plans are suspended", " || of.attachment.planId !== planId", ""],
  ["W15", "an expired attachment is suspended", 'state !== "EXPIRED" && ', ""],
  ["W15", "a suspension names no plan", 'action === "suspend" && filter.planId === null', "false"],
  ["W15", "a label is set that nobody has said", "label === undefined ? refused(", "false ? refused("],
  [
    "W15",
    "what is done in part is refused",
    "if (parts.includes(null)) return",
    "if (parts.length > 0 && parts.every((part) => part === null)) return"
  ],
  ["W15", "all that are refused are shown", "refusals.slice(0, MOST_REFUSALS)", "refusals"]
])

export const corrections = [
  ...identities,
  ...inCorrection,
  ...audited,
  ...inTags,
  ...inProvisioning,
  ...inMobilePlan,
  ...inSim,
  ...inBulk
]

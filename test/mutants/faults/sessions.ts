/**
 * Faults in the sessions of operators' browsers, and in whom the claims of an identity provider
 * name: W14.
 */
import { faultsIn, faultsOf, instead } from "./Fault.ts"

const inDomain = faultsOf("Session.ts", "sessions", [
  ["W14", "a session that was ended goes on", "endedAt === null && now < endsAt", "now < endsAt"],
  ["W14", "a session goes on beyond its end", "endedAt === null && now < endsAt", "endedAt === null"],
  ["W14", "a session goes on at its end", "now < endsAt", "now <= endsAt"],
  [
    "W14",
    "all cookies before the present one are good for a while",
    "cookie === renewals - 1 &&",
    "cookie < renewals &&"
  ],
  ["W14", "the cookie before is never good", "cookie === renewals - 1 &&", "false &&"],
  ["W14", "the cookie before is good for ever", "isWithin(OVERLAP, renewedAt, now)", "renewedAt !== null"],
  ["W14", "the cookie before is good for a millisecond more", "Math.abs(now - at) < span", instead("<", "<=")],
  ["W14", "a time goes on while the clock is behind", "Math.abs(now - at) < span", "now - at < span"],
  [
    "W14",
    "a session that is forgotten goes on",
    "if (session === null || !isLive(session, now) ||",
    'if (session === null) return "good"\n  if (!isLive(session, now) ||'
  ],
  ["W14", "a cookie that the session has not had is good", " || cookie > session.renewals) return", ") return"],
  [
    "W14",
    "a cookie that was replaced is good",
    "|| isBefore(session, cookie, now) ?",
    "|| cookie < session.renewals ?"
  ],
  ["W14", "a session that is over is renewed", 'standing(session, cookie, now) === "over") return', "false) return"],
  ["W14", "two ask at the same time", "return isWithin(ASKING, session.askedAt, now)", "return false"],
  [
    "W14",
    "nobody asks if the first one has died",
    "isWithin(ASKING, session.askedAt, now)",
    "session.askedAt !== null"
  ],
  ["W14", "others do not know that it is asked", "{ ...session, askedAt: now }", "session"],
  [
    "W14",
    "a cookie renews for ever",
    "isBefore(session, cookie, now) && session.cookie !== null",
    "session.cookie !== null"
  ],
  ["W14", "a cookie that comes again ends nothing", "session: ended(session, now) }", "session }"],
  ["W14", "the next cookie has the number of the one before", "renewals: session.renewals + 1,", instead(" + 1", "")],
  ["W14", "nobody knows when a cookie was renewed", "  renewedAt: now,\n", "  renewedAt: null,\n"],
  [
    "W14",
    "the next cookie cannot be renewed for a while",
    "  renewedAt: now,\n  askedAt: null\n",
    "  renewedAt: now\n"
  ],
  ["W14", "a cookie that was asked about in vain cannot ask again", "({ ...session, askedAt: null })", "session"],
  ["W14", "what is kept of a cookie is forgotten", "({ ...session, cookie })", "session"],
  ["W14", "a session that is ended again has ended then", "session.endedAt ?? now", "now"]
])

const inService = faultsIn("src/app/organizations", "OperatorSessions.ts", "sessions", [
  [
    "W14",
    "the end by a cookie that comes again is not written",
    '"Reused") yield* writeEnd(renewal.session)',
    '"Reused") yield* Effect.void'
  ],
  ["W14", "a lost role ends nothing", "if (renewed === null) yield* end(cookie)\n      else", "if (renewed !== null)"],
  ["W14", "what was read is never read again", "known.until > now && ", ""],
  ["W14", "a cookie of another process is not known", " && renewals <= (known.session?.renewals ?? renewals)", ""],
  [
    "W14",
    "what this process has renewed is not known to it",
    "() => Effect.sync(() => read.delete(session.sessionId))",
    "() => Effect.void"
  ],
  [
    "W14",
    "what this process has ended is not known to it",
    "ended.add(session.sessionId)\n      read.delete(session.sessionId)",
    ""
  ],
  ["W14", "an answer that comes late is taken", "session?.renewals !== renewals || !", "session === null || !"],
  [
    "W14",
    "a client that goes away leaves the answer unwritten",
    "yield* Effect.uninterruptible(answered(cookie, ask(renewal.session.cookie, keep(cookie))))",
    "yield* answered(cookie, ask(renewal.session.cookie, keep(cookie)))"
  ],
  ["W14", "nobody asks by what was kept", "ask(renewal.session.cookie,", "ask(null,"],
  ["W14", "a provider that is silent holds up the next question", "Effect.tapCause(ask, () => free)", "ask"],
  [
    "W14",
    "a session that is over is ended once more",
    "session !== null && Session.isLive(session, now)",
    "session !== null"
  ],
  ["W14", "nobody waits for another process", "if ((yield* monotonicNow) >= until) return", "return"]
])

const forgotten = faultsIn("src/app/engine", "Worker.ts", "sessions", [
  [
    "W14",
    "sessions are forgotten a day before they end",
    "sessionsBefore: yield* MachineClock.currentTimeMillis",
    instead("yield* MachineClock.currentTimeMillis", "(yield* MachineClock.currentTimeMillis) + 86_400_000")
  ]
])

const inClaims = faultsIn("adapters/http/middleware", "Claims.ts", "sign-in", [
  [
    "W14",
    "the user's information is asked only for the role",
    "[roleClaim, organizationClaim, nameClaim, verified(nameClaim)]",
    "[roleClaim]"
  ],
  [
    "W14",
    "the user's information goes before the ID token",
    ".find((value) => value !== undefined)",
    instead("find", "findLast")
  ],
  [
    "W14",
    "an organization that is null is all of them",
    "{ organization: find(places, organizationClaim) }",
    "{ organization: find(places, organizationClaim) ?? undefined }"
  ],
  [
    "W14",
    "an organization is whatever is a text",
    "!isPlain(organization, TextLimit.ID)",
    'typeof organization !== "string"'
  ],
  ["W14", "a claim that has to be there may be missing", "if (missing !== undefined) return", "if (false) return"],
  [
    "W14",
    "an e-mail that is not verified is taken",
    "if (!verifying.every((claims) => within(claims, verified(nameClaim)) === true))",
    "if (false)"
  ],
  [
    "W14",
    "an e-mail is verified if one of two places says so",
    "if (!verifying.every((claims)",
    "if (verifying.length > 0 && !verifying.some((claims)"
  ],
  [
    "W14",
    "an e-mail is verified beside another one",
    "if (verifying.length > 0 && !verifying",
    "if (false && !verifying"
  ],
  [
    "W14",
    "a renewal takes the organization's binding away",
    "before.organizationId === null || before.organizationId === organizationId",
    "true"
  ],
  [
    "W14",
    "a renewal binds to another organization",
    "|| before.organizationId === organizationId",
    "|| organizationId !== null"
  ],
  ["W14", "any place raises a role", "role: mayRise || ", "role: true || "],
  ["W14", "a name has letters that nobody sees", "  !INVISIBLE.test(value)", "  true"],
  [
    "W14",
    "a name has a letter that no storage keeps",
    "  TextLimit.isStorable(value) &&\n  !INVISIBLE.test(value)",
    '  !INVISIBLE.test(value.replaceAll("\\0", ""))'
  ],
  ["W14", "a list of roles has what is none", ' || !roles.every((one) => typeof one === "string")', ""]
])

const inSignIn = faultsIn("adapters/http/middleware", "OpenId.ts", "sign-in", [
  [
    "W14",
    "another user renews a session",
    'if (claims["sub"] !== undefined && claims["sub"] !== subject)',
    "if (false)"
  ],
  ["W14", "an ID token of another client is taken", '(claims["azp"] ?? clientId) !== clientId', "false"],
  [
    "W14",
    "other pages renew a session",
    "if (!Sessions.isSameOrigin(request, trustedProxies)) return",
    "if (false) return"
  ],
  ["W14", "whom the provider does not know goes on", 'error.error === "invalid_grant"', "false"],
  [
    "W14",
    "the user's information raises a role once an ID token lacks it",
    "(before !== null && before.isRoleInToken !== false)",
    "false"
  ],
  [
    "W14",
    "a refresh token is lost with the answer that comes after it",
    "if (given.renewal?.refreshToken !== renewal.refreshToken) yield*",
    "if (false) yield*"
  ],
  ["W14", "the way back is good again", "Effect.flatMap(answered(signedIn), forgetting)", "answered(signedIn)"]
])

const inCookies = faultsIn("adapters/http/middleware", "Sessions.ts", "sign-in", [
  [
    "W14",
    "the provider is asked by what the browser has, and not by what was kept",
    'last === null || "token" in last.holder ? session.holder : last.holder',
    "session.holder"
  ],
  [
    "W14",
    "a cookie that was replaced acts until it has to be renewed",
    "return { ...session, renewsAt: 0 }",
    "return session"
  ],
  [
    "W14",
    "the next cookie goes by the number of the one before",
    "renewals: session.renewals + 1 }, terms",
    instead(" + 1", "")
  ],
  [
    "W14",
    "cookies are sealed with the token alone",
    'Buffer.from(stored, "base64"), purpose',
    "Buffer.alloc(0), purpose"
  ],
  ["W14", "cookies are sealed without the token", "Redacted.value(secret), Buffer", '"", Buffer'],
  ["W14", "cookies of all purposes are the same", "purpose, 32", '"", 32'],
  [
    "W14",
    "pages of the same site may change things",
    'return site === "same-origin"',
    'return site.startsWith("same-")'
  ]
])

const inGuards = faultsIn("adapters/http/middleware", "OperatorAuth.ts", "sign-in", [
  [
    "W14",
    "a session that has to be renewed acts",
    "if (isStale(session) && need?.endsSession !== true) return yield* sessionStale",
    ""
  ],
  [
    "W14",
    "a session that has to be renewed cannot be ended",
    "isStale(session) && need?.endsSession !== true",
    "isStale(session)"
  ],
  [
    "W14",
    "pages of other origins act by a session",
    "if (writes && !Sessions.isSameOrigin(request, trustedProxies)) return",
    "if (false) return"
  ]
])

const inTokens = faultsIn("adapters/http/middleware", "Auth.ts", "sign-in", [
  ["W14", "words count as random letters", " || likeWords > 14 + token.length / 2", ""],
  ["W14", "order counts as random", "ordered > 4 + token.length / 5 || ", ""],
  ["W14", "what comes again counts as random", " || token.indexOf(token.slice(at - 2, at + 1)) < at - 2", ""],
  ["W14", "order in turns counts as random", "[1, 2, 3].some((lag)", "[1].some((lag)"]
])

export const sessions = [
  ...inTokens,
  ...inDomain,
  ...inService,
  ...forgotten,
  ...inClaims,
  ...inSignIn,
  ...inCookies,
  ...inGuards
]

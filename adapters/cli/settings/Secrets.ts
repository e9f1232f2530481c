/**
 * Blots secrets out of what leaves the process for an operator to read: logs, traces, metrics and errors. What looks
 * like a key, a token or a password is one, and so is every secret that the process was set up with.
 */
const patterns: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/simplan_[0-9A-Za-z]{40,}/g, "simplan_***"],
  [/whsec_[0-9A-Za-z+/=]{20,}/g, "whsec_***"],
  [/([?&]key=)[^&\s"'\\]+/g, "$1***"],
  [/\b(Bearer\s+)[^\s"'\\]+/gi, "$1***"],
  [/\b(postgres(?:ql)?:\/\/[^:/@\s"]*):[^\s"]*@/g, "$1:***@"]
]

// Those of this process: whatever writes, wherever, has to leave them out.
const known = new Set<string>()

/** What is shorter is in every other word, and would hide nothing. */
const SHORTEST = 6

/** Makes a secret known, in each of the forms that it may be written in. */
export const know = (secret: string): void => {
  if (secret.length < SHORTEST) return
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) known.add(form)
}

/** Makes a secret known that may be percent-encoded. */
export const knowEncoded = (secret: string): void => {
  know(secret)
  try {
    know(decodeURIComponent(secret))
  } catch {
    // It is not, and is known as it is.
  }
}

/** Makes the password of a URL known, where there is one. */
export const knowPassword = (url: string): void => {
  if (!URL.canParse(url)) return
  const { password, searchParams } = new URL(url)
  knowEncoded(password)
  know(searchParams.get("password") ?? "")
}

/** The text without its secrets. */
export const without = (text: string): string => {
  let left = text
  for (const secret of known) left = left.replaceAll(secret, "***")
  for (const [pattern, replacement] of patterns) left = left.replace(pattern, replacement)
  return left
}

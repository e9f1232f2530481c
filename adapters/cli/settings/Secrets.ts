/**
 * Removes secrets from what the process writes for operators: logs, traces, metrics and errors.
 *
 * Two kinds of text are removed: what has the form of a key, a token or a password, and every
 * registered secret.
 */
const patterns: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/simplan_[0-9A-Za-z]{40,}/g, "simplan_***"],
  [/whsec_[0-9A-Za-z+/=]{20,}/g, "whsec_***"],
  [/([?&]key=)[^&\s"'\\]+/g, "$1***"],
  [/\b(Bearer\s+)[^\s"'\\]+/gi, "$1***"],
  [/\b(postgres(?:ql)?:\/\/[^:/@\s"]*):[^\s"]*@/g, "$1:***@"]
]

// One set for the process, because every writer has to know every secret.
const registered = new Set<string>()

/** Shorter secrets occur in ordinary words, so that removing them would hide nothing. */
const SHORTEST = 6

/** Registers a secret, in each form in which it may be written. */
export const register = (secret: string): void => {
  if (secret.length < SHORTEST) return
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) registered.add(form)
}

/** Registers a secret that may be percent-encoded. */
export const registerEncoded = (secret: string): void => {
  register(secret)
  try {
    register(decodeURIComponent(secret))
  } catch {
    // It is not percent-encoded.
  }
}

/** Registers the passwords of a URL. */
export const registerPassword = (url: string): void => {
  if (!URL.canParse(url)) return
  const { password, searchParams } = new URL(url)
  registerEncoded(password)
  register(searchParams.get("password") ?? "")
}

/** The text with `***` in place of its secrets. */
export const redact = (text: string): string => {
  let redacted = text
  for (const secret of registered) redacted = redacted.replaceAll(secret, "***")
  for (const [pattern, replacement] of patterns) redacted = redacted.replace(pattern, replacement)
  return redacted
}

/**
 * Searches for secrets in all that a test file's processes wrote: a check after the file fails
 * where one is found (see output.ts). A secret is what was made known here, and whatever has the
 * form of an API key or a signing key.
 */

const secrets = new Set<string>()
const outputs: Array<Output> = []

export interface Output {
  /** For the message. */
  readonly what: string
  readonly text: () => string
  /**
   * Whether it may show a secret, as a greeting does that gives a key away on purpose; none where
   * it is absent.
   */
  readonly mayShow?: (secret: string) => boolean
}

const forms = [/simplan_[0-9A-Za-z]{40,}/g, /whsec_[0-9A-Za-z+/=]{20,}/g]

/** What is shorter is in other words. */
const SHORTEST = 6

/** Makes a secret known. */
export const know = (secret: string): void => {
  if (secret.length >= SHORTEST) secrets.add(secret)
}

/** Makes the password in a URL known. */
export const knowPassword = (url: string): void => {
  if (URL.canParse(url)) know(decodeURIComponent(new URL(url).password))
}

/** Forgets the secrets and outputs of the test file before. */
export const clear = (): void => {
  secrets.clear()
  outputs.length = 0
}

/** Has an output searched when the file's tests are over. */
export const watch = (output: Output): void => void outputs.push(output)

/** The secrets in a text. */
export const secretsIn = (text: string): ReadonlyArray<string> => [
  ...[...secrets].filter((secret) => text.includes(secret)),
  ...forms.flatMap((form) => text.match(form) ?? [])
]

/** Where which secret was shown that should not have been. */
export const found = (): ReadonlyArray<string> =>
  outputs.flatMap(({ mayShow = () => false, text, what }) =>
    secretsIn(text())
      .filter((secret) => !mayShow(secret))
      .map((secret) => `${what} shows ${secret}`)
  )

/**
 * The address of a telco bridge; the contract's paths are appended to it.
 */

export const allowed = "an address such as https://bridge.example/telco, without a password or a query"

/** The address without trailing slashes; undefined for any other text. */
export const parse = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, password, protocol, search, username } = new URL(text)
  const isPlain = /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
  return isPlain ? text.replace(/\/+$/, "") : undefined
}

/** The text without what may be a secret, for a message. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, "//***@").replace(/\?.*/, "?***")

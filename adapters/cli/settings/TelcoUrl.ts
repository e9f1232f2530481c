/**
 * Where a telco bridge is: an address to which the contract's paths are added.
 */

export const allowed = "an address such as https://bridge.example/telco, without a password or a query"

/** The address without a slash at its end; undefined for anything else. */
export const parse = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, password, protocol, search, username } = new URL(text)
  const isPlain = /^https?:$/.test(protocol) && hash === "" && search === "" && username === "" && password === ""
  return isPlain ? text.replace(/\/+$/, "") : undefined
}

/** The text with what may be a secret in it blotted out, for a message. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, "//***@").replace(/\?.*/, "?***")

/**
 * The QR code and the links that install an eSIM, shown on a click. The audit log names who has
 * asked for the code.
 */
import { useState } from "preact/hooks"
import { ActivationCode } from "simplan/ports"
import * as Api from "../Api.ts"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Sim = Types.Data<"organizationSims", "get">

interface Shown {
  readonly picture: string
  readonly links: NonNullable<Sim["install"]> | null
  readonly code: string
}

/** A text to be typed into a phone, with a button that copies it. */
const Copied = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <p>
      {name}: <code class="whole">{text}</code>{" "}
      {"clipboard" in navigator && (
        <button type="button" aria-label={`${isCopied ? "Copied" : "Copy"} the ${name}`} onClick={() => void copy()}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      )}
    </p>
  )
}

/** What a phone asks for that takes no QR code (SGP.22, section 4.1). */
const Code = ({ of }: { readonly of: string }) => {
  const parsed = ActivationCode.parse(of)
  return (
    <>
      {parsed !== undefined && <Copied name="SM-DP+ address" text={parsed.smdpAddress} />}
      {parsed !== undefined && parsed.matchingId !== "" && <Copied name="activation code" text={parsed.matchingId} />}
      {parsed?.isConfirmed === true && <p>The phone asks for a confirmation code, too.</p>}
      <Copied name="whole code" text={of} />
    </>
  )
}

export const Installation = ({ iccid, path }: { readonly iccid: string; readonly path: string }) => {
  const [shown, show] = useState<Shown | null>(null)
  const read = async (): Promise<void> => {
    const picture = await Api.text(`${path}/qr.svg`)
    const { install, lpa } = await Api.read<Sim>(`${path}?install=true`)
    show({ picture, links: install ?? null, code: lpa ?? "" })
  }
  if (shown === null) return <View.Action label="Show the QR code" does={read} done={() => undefined} />
  return (
    <figure class="installation">
      <img
        src={`data:image/svg+xml,${encodeURIComponent(shown.picture)}`}
        alt={`The QR code that installs ${iccid}`}
        width="240"
        height="240"
      />
      <figcaption>
        <span>Whoever sees it can install the eSIM.</span>
        {shown.links !== null && (
          <>
            <a href={shown.links.apple} rel="noreferrer">
              Link for iPhones
            </a>
            <a href={shown.links.android} rel="noreferrer">
              Link for Android
            </a>
          </>
        )}
        <button type="button" onClick={() => View.download(`${iccid}.svg`, shown.picture, "image/svg+xml")}>
          Download the QR code
        </button>
        <button type="button" onClick={() => show(null)}>
          Hide it
        </button>
      </figcaption>
      <Code of={shown.code} />
    </figure>
  )
}

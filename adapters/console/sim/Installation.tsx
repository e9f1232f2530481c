/**
 * The QR code and the links that install an eSIM, shown on a click. The audit log names who has
 * asked for the code.
 */
import type { JSX } from "preact"
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
const Copied = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <p>
    {name}: <code class="whole">{text}</code> <View.Copy of={text} name={name} />
  </p>
)

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

/** What installs an eSIM: whether it is shown, and what shows it. */
export interface Installation {
  readonly isShown: boolean
  readonly show: () => Promise<void>
  readonly picture: JSX.Element | null
}

export const useInstallation = (iccid: string, path: string): Installation => {
  const [shown, show] = useState<Shown | null>(null)
  const read = async (): Promise<void> => {
    const picture = await Api.text(`${path}/qr.svg`)
    const { install, lpa } = await Api.read<Sim>(`${path}?install=true`)
    show({ picture, links: install ?? null, code: lpa ?? "" })
  }
  const isShown = shown !== null
  return { isShown, show: read, picture: shown && <Picture iccid={iccid} shown={shown} hide={() => show(null)} /> }
}

const Picture = ({
  hide,
  iccid,
  shown
}: {
  readonly iccid: string
  readonly shown: Shown
  readonly hide: () => void
}) => (
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
      <button type="button" onClick={hide}>
        Hide it
      </button>
    </figcaption>
    <Code of={shown.code} />
  </figure>
)

/**
 * The QR code and the links that install an eSIM, shown on a click. The audit log names who has
 * asked for the code.
 */
import { useState } from "preact/hooks"
import * as Api from "../Api.ts"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Sim = Types.Data<"organizationSims", "get">

interface Shown {
  readonly picture: string
  readonly links: NonNullable<Sim["install"]> | null
}

export const Installation = ({ iccid, path }: { readonly iccid: string; readonly path: string }) => {
  const [shown, show] = useState<Shown | null>(null)
  const read = async (): Promise<void> => {
    const picture = await Api.text(`${path}/qr.svg`)
    const { install } = await Api.read<Sim>(`${path}?install=true`)
    show({ picture: `data:image/svg+xml,${encodeURIComponent(picture)}`, links: install ?? null })
  }
  if (shown === null) return <View.Action label="Show the QR code" does={read} done={() => undefined} />
  return (
    <figure class="installation">
      <img src={shown.picture} alt={`The QR code that installs ${iccid}`} width="240" height="240" />
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
        <button type="button" onClick={() => show(null)}>
          Hide it
        </button>
      </figcaption>
    </figure>
  )
}

/**
 * The QR code that a phone scans to install an eSIM: its activation code (rule I10), with a quiet
 * zone of four modules, as ISO/IEC 18004 asks for.
 */
import { renderSVG, renderUnicodeCompact } from "uqr"

const options = { border: 4, ecc: "M" } as const

/** As an image, black on white. */
export const svg = (lpa: string): string => renderSVG(lpa, options)

/** As text for a terminal of light characters on a dark background. */
export const text = (lpa: string): string => renderUnicodeCompact(lpa, options)

/**
 * Links that install an eSIM from its activation code without a QR code (rule I10). Whoever has one can download the profile, as
 * with the code itself.
 */

/** The links of one eSIM. */
export interface InstallLinks {
  /** A universal link of iOS, from 17.4 on. */
  readonly apple: string
  /** The same for Android, from 10 on. */
  readonly android: string
}

const page = (host: string, lpa: string): string =>
  `https://${host}/esim_qrcode_provisioning?carddata=${encodeURIComponent(lpa)}`

/** Rule I10: the links for an activation code of SGP.22, section 4.1. */
export const of = (lpa: string): InstallLinks => ({
  apple: page("esimsetup.apple.com", lpa),
  android: page("esimsetup.android.com", lpa)
})

/**
 * SIMs, their SM-DP+ history and their mobile plan as JSON.
 */
import { Time } from "simplan"
import { type MobilePlan, Sim, type SmdpHistory } from "simplan/ports"
import type * as SimsApi from "../api/SimsApi.ts"
import type * as WalletApi from "../api/WalletApi.ts"

export const sim = (one: Sim.Sim): typeof SimsApi.Sim.Type => ({
  iccid: one.iccid,
  label: one.label,
  lpa: one.lpa,
  used: Sim.isUsed(one),
  esim_id: one.simId,
  created_at: Time.toIso(one.createdAt),
  is_esim: one.isEsim
})

export const smdpInfo = (
  iccid: string,
  info: { readonly history: ReadonlyArray<SmdpHistory.Entry>; readonly current: SmdpHistory.CurrentStatus | null }
): typeof SimsApi.SmdpInfo.Type => ({
  iccid,
  state_history: info.history.map((entry) => ({
    state: entry.state,
    modification_result: entry.modificationResult,
    modified_at: Time.toIso(entry.modifiedAt)
  })),
  current_status: info.current?.state ?? null
})

export const mobilePlan = ({
  applied,
  iccid,
  id
}: MobilePlan.MobilePlanStatus): (typeof WalletApi.MobilePlanItem.Type)["data"] => ({
  iccid,
  mobile_plan_applied: applied,
  id
})

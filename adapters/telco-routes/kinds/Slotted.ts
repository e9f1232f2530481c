/**
 * A telco whose calls take its slots.
 */
import type { Telco } from "simplan/ports"
import type { Slots } from "../Slots.ts"

export const telco = (slots: Slots, of: Telco.Telco["Service"]): Telco.Telco["Service"] => {
  const { listPackages } = of
  return {
    createPackage: (order) => slots.run(of.createPackage(order)),
    suspendPackage: (ref) => slots.run(of.suspendPackage(ref)),
    cancelPackage: (ref) => slots.run(of.cancelPackage(ref)),
    sendSms: (sms) => slots.run(of.sendSms(sms)),
    releaseProfile: (profile) => slots.run(of.releaseProfile(profile)),
    setMobilePlan: (plan) => slots.run(of.setMobilePlan(plan)),
    ...(listPackages !== undefined && { listPackages: (sim) => slots.run(listPackages(sim)) })
  }
}

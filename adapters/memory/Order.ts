/**
 * The orders that lists and queues go by.
 */
import type { Storage } from "simplan"

export const byNumber = (left: number, right: number): number => (left < right ? -1 : left > right ? 1 : 0)

export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** By creation and id: the order of most lists. */
export const byCreation = (left: Storage.CreatedCursor, right: Storage.CreatedCursor): number =>
  byNumber(left.createdAt, right.createdAt) || byText(left.id, right.id)

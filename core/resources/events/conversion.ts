/** Converts events of this group to the core group, in which they are stored; some field names differ. */
import type { Platform } from '../../platform.ts'
import type { ApiObject, Conversion } from '../definition.ts'

/** Field names in this group and in the core group. */
const names = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
] as const

const storedNames = new Map<string, string>(names)
const servedNames = new Map<string, string>(names.map(([served, stored]) => [stored, served]))

function renamed(object: ApiObject, table: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const members = Object.entries(object).map(([name, value]) => [table.get(name) ?? name, value])
  return { ...(Object.fromEntries(members) as ApiObject), apiVersion }
}

export const conversion: Conversion = {
  toStored: (object) => renamed(object, storedNames, 'v1'),
  fromStored: (object, platform: Platform) => renamed(object, servedNames, platform.name('events.<domain>/v1')),
}

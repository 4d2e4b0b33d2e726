/** Converts events of this group to the core group, in which they are stored; some field names differ. */
import type { Platform } from '../../platform.ts'
import { givenEmpties, setGivenEmpties } from '../../schema/json/given-empty.ts'
import type { Json } from '../../schema/model.ts'
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

const withNames = (object: object, table: ReadonlyMap<string, string>) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [table.get(name) ?? name, value as Json]))

function renamed(object: ApiObject, table: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const result = { ...withNames(object, table), apiVersion }
  const given = givenEmpties(object)
  if (given !== undefined) setGivenEmpties(result, withNames(given, table))
  return result as unknown as ApiObject
}

export const conversion: Conversion = {
  toStored: (object) => renamed(object, storedNames, 'v1'),
  fromStored: (object, platform: Platform) => renamed(object, servedNames, platform.name('events.<domain>/v1')),
}

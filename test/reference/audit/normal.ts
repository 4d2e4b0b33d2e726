/** Audit events without what differs between two servers, or two runs: ids, times, revisions, addresses. */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export interface Event {
  readonly auditID: string
  readonly stage: string
  readonly requestObject?: Json
  readonly responseObject?: Json
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z/g, 'TIME'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/\bmade-[a-z0-9]{5}\b/g, 'made-NAME'],
  [/^\d+m?s$/, 'AGE'],
  [/^[\d.]+:\d+$/, 'ADDRESS'],
]

const text = (value: string) => replacements.reduce((result, [pattern, by]) => result.replace(pattern, by), value)

/** Members whose values differ: revisions, and descriptions of columns, which are our own sentences. */
const replaced: { readonly [key: string]: string } = { resourceVersion: 'REVISION' }

function normal(value: Json, isColumn = false): Json {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((each) => normal(each, isColumn))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    if ((isColumn && key === 'description') || (key === 'continue' && member === '') || key.startsWith('apiserver.latency.')) return []
    return [[key, replaced[key] ?? normal(member, key === 'columnDefinitions')]]
  })
  return Object.fromEntries(members)
}

/** The event of a line, without annotations that only slow requests have. The order of members is kept. */
export const normalEvent = (line: string): Event => normal(JSON.parse(line) as Json) as unknown as Event

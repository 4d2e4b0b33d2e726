import { Name, Values } from '../../schema/json/scan.ts'

const decoder = new TextDecoder()
const name = new Name('name')
const spec = new Name('spec')
const versions = new Name('versions')
const schema = new Name('schema')
const openApiSchema = new Name('openAPIV3Schema')

/** Handles a value that was found; returns the position after it. */
type Visit = (found: Values) => number

/** What is at hand for finding something in this JSON. */
function visitors(json: Uint8Array) {
  /** Visits the members of the object that starts here, each by its name. */
  function members(at: number, visits: readonly (readonly [Name, Visit])[]): number {
    const values = new Values(json, at)
    let end: number | undefined
    while (values.next(end)) end = visits.find(([name]) => values.is(name))?.[1](values)
    return values.closed || json.length
  }
  const within =
    (...visits: readonly (readonly [Name, Visit])[]): Visit =>
    (found) =>
      found.isObject ? members(found.start, visits) : found.end
  const each =
    (visit: Visit): Visit =>
    (found) => {
      if (!found.isList) return found.end
      const items = new Values(json, found.start)
      let end: number | undefined
      while (items.next(end)) end = visit(items)
      return items.closed || json.length
    }
  return { within, eachVersion: (visit: Visit) => members(0, [[spec, within([versions, each(visit)])]]) }
}

/** The JSON of a definition with empty schemas in `spec.versions[].schema.openAPIV3Schema`: it parses in a fraction of the time. */
export function withoutSchemas(json: Uint8Array): string {
  let kept = ''
  let from = 0
  const empty: Visit = (found) => {
    if (!found.isObject) return found.end
    kept += `${decoder.decode(json.subarray(from, found.start))}{}`
    from = found.end
    return from
  }
  const { within, eachVersion } = visitors(json)
  eachVersion(within([schema, within([openApiSchema, empty])]))
  return kept + decoder.decode(json.subarray(from))
}

/** Where a schema stands in the JSON of its definition: from its first byte to after its last. */
export interface SchemaPlace {
  readonly start: number
  readonly end: number
}

/** The schemas of a definition by version. */
export function schemaPlaces(json: Uint8Array): ReadonlyMap<string, SchemaPlace> {
  const places = new Map<string, SchemaPlace>()
  const { within, eachVersion } = visitors(json)
  let version: string | undefined
  let place: SchemaPlace | undefined
  const named: Visit = (found) => {
    version = JSON.parse(decoder.decode(json.subarray(found.start, found.end))) as string
    return found.end
  }
  const placed: Visit = ({ start, end, isObject }) => {
    place = isObject ? { start, end } : undefined
    return end
  }
  const one = within([name, named], [schema, within([openApiSchema, placed])])
  eachVersion((found) => {
    version = undefined
    place = undefined
    const end = one(found)
    if (version !== undefined && place !== undefined && !places.has(version)) places.set(version, place)
    return end
  })
  return places
}

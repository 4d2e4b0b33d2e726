import { noFields, unionOf } from './field-set.ts'
import { identityOf, type Manager, type Managers } from './managers.ts'

/** Maximum managers with operation Update per object. */
const limit = 10
const bucketName = 'ancient-changes'

/** Merges the oldest update managers of each version into one until the limit is met. */
export function capUpdaters(given: Managers): Managers {
  if (given.size <= limit) return given
  const updaters = [...given].filter(([, { operation }]) => operation === 'Update')
  let count = updaters.length
  if (count <= limit) return given
  const managers = new Map(given)
  updaters.sort(([a, { time: aTime = '' }], [b, { time: bTime = '' }]) => (aTime === bTime ? (a < b ? -1 : 1) : aTime < bTime ? -1 : 1))
  const buckets = new Map<string, Bucket>()
  for (const [identity, manager] of updaters) {
    if (count <= limit) break
    const { apiVersion } = manager
    const bucket = buckets.get(apiVersion)
    if (bucket === undefined) {
      buckets.set(apiVersion, { first: identity, joined: [] })
      continue
    }
    managers.delete(identity)
    bucket.joined.push(manager)
    count--
  }
  for (const bucket of buckets.values()) if (bucket.joined.length > 0) fill(managers, bucket, given)
  return managers
}

/** The update managers of one version that are merged: `first` and the others. */
interface Bucket {
  readonly first: string
  readonly joined: Manager[]
}

/** Merges the fields of `joined` into the `ancient-changes` manager of their version, which is created from the oldest one if there is none. */
function fill(managers: Map<string, Manager>, { first, joined }: Bucket, given: Managers): void {
  const { apiVersion, time } = joined.at(-1) as Manager
  const identity = { manager: bucketName, operation: 'Update', apiVersion, subresource: '' } as const
  const key = identityOf(identity)
  const before = given.get(key) ?? given.get(first)
  if (!given.has(key)) managers.delete(first)
  const fields = unionOf([before?.fields ?? noFields, ...joined.map((manager) => manager.fields)])
  managers.set(key, { ...identity, fields, time })
}

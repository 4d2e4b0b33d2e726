import { union } from './field-set.ts'
import { identityOf, type Manager, type Managers } from './managers.ts'

/** So many managers of updates are told apart in one object. */
const limit = 10
const bucketName = 'ancient-changes'

/** Joins the oldest updaters of each version into one until there are few enough. */
export function capUpdaters(given: Managers): Managers {
  if (given.size <= limit) return given
  const updaters = [...given].filter(([, { operation }]) => operation === 'Update')
  let count = updaters.length
  if (count <= limit) return given
  const managers = new Map(given)
  updaters.sort(([a, { time: aTime = '' }], [b, { time: bTime = '' }]) => (aTime === bTime ? (a < b ? -1 : 1) : aTime < bTime ? -1 : 1))
  const firstOf = new Map<string, string>()
  for (const [identity, manager] of updaters) {
    if (count <= limit) break
    const { apiVersion } = manager
    const first = firstOf.get(apiVersion)
    if (first === undefined) {
      firstOf.set(apiVersion, identity)
      continue
    }
    join(managers, first, identity, manager)
    count--
  }
  return managers
}

/** Puts a manager's fields into the bucket of its version, which the first one found becomes. */
function join(managers: Map<string, Manager>, first: string, identity: string, { fields, apiVersion, time }: Manager): void {
  const bucket = { manager: bucketName, operation: 'Update', apiVersion, subresource: '' } as const
  const key = identityOf(bucket)
  const before = managers.get(key) ?? managers.get(first)
  if (!managers.has(key)) managers.delete(first)
  managers.delete(identity)
  managers.set(key, { ...bucket, fields: union(fields, before?.fields ?? []), time })
}

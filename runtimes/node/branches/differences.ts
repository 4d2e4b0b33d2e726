/** What differs between a branch and its live server, among the objects that the branch has written, as far as a user may read them. */

import { LightHeaders } from '../../../core/answers/light-headers.ts'
import { Reply } from '../../../core/answers/reply.ts'
import { ApiError } from '../../../core/answers/status.ts'
import type { User } from '../../../core/request/exchange.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import type { ObjectPlace } from '../../../core/server.ts'
import { type Change, changesOf } from '../../testing/changes.ts'
import type { Branch, Touched } from './branch.ts'

/** Asks a server for an object as a user. */
export type Ask = (path: string, user: User) => Promise<Response>

export interface Difference {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly difference: 'created' | 'changed' | 'deleted'
  /** The live object has changed since the branch began: it was written, created or deleted. */
  readonly moved: boolean
  /** Built-in controllers have done it, as they would in the live server. */
  readonly automatic: boolean
  /** Of a changed object, from the live one to that of the branch. */
  readonly changes?: readonly Change[]
  /** As the branch has it, without what servers set. Absent: it was deleted. */
  readonly object?: JsonObject
}

export interface Differences {
  readonly branch: string
  /** At which the branch began. */
  readonly revision: string
  readonly differences: readonly Difference[]
  /** Objects that differ, maybe, and that the user may not read. */
  readonly hidden: number
}

/** What servers set. */
const own = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]
/** What kubectl writes about an object besides the object. */
const applied = 'kubectl.kubernetes.io/last-applied-configuration'

/** When a condition was met: each server has its own. */
const statusTime = /^\/status\/.*Time$/

interface Metadata {
  readonly name?: string
  readonly resourceVersion?: string
  readonly annotations?: JsonObject
  readonly managedFields?: readonly { readonly manager?: string; readonly time?: string }[]
}

const metadataOf = (object: JsonObject) => (isObject(object['metadata']) ? object['metadata'] : {}) as JsonObject & Metadata

function stripped(object: JsonObject): JsonObject {
  const { annotations, ...metadata } = metadataOf(object)
  const kept = Object.entries(annotations ?? {}).filter(([name]) => name !== applied)
  return {
    ...object,
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([name]) => !own.includes(name))),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
  }
}

function pathOf({ group, version, plural, namespace, name }: ObjectPlace): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const inside = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${inside}/${plural}/${encodeURIComponent(name)}`
}

export const getRequest = (path: string) =>
  new LightRequest('GET', path, LightHeaders.of(['host', 'localhost', 'accept', 'application/json']), null)

type Read = { readonly object: JsonObject | undefined } | 'forbidden'

async function read(response: Response, path: string): Promise<Read> {
  const { status } = response
  const body = (await Reply.native(response)
    .json()
    .catch(() => ({}))) as JsonObject
  if (status === 200) return { object: body }
  if (status === 404) return { object: undefined }
  if (status === 403) return 'forbidden'
  throw new ApiError('InternalError', `${path}: ${String(body['message'] ?? status)}`)
}

/** Objects that controllers make in each namespace, with no field that would name its manager. */
const unmanaged = ['v1 ServiceAccount default']

/** Whether nobody but these has written the object. */
function isOf(managers: readonly string[], object: JsonObject): boolean {
  const { managedFields = [], name } = metadataOf(object)
  if (managedFields.length === 0) return unmanaged.includes(`${object['apiVersion']} ${object['kind']} ${name}`)
  return managedFields.every(({ manager = '' }) => managers.includes(manager))
}

async function differenceOf(
  { branch, user, live, managers }: Comparison,
  { place, before }: Touched,
): Promise<Difference | 'forbidden' | undefined> {
  const path = pathOf(place)
  const now = await read(await branch.handle(getRequest(path), path, user), path)
  const there = await read(await live(path, user), path)
  if (now === 'forbidden' || there === 'forbidden') return 'forbidden'
  const [object, other] = [now.object, there.object]
  if (object === undefined && other === undefined) return undefined
  const { group, version, kind, namespace, name } = place
  const revision = Number((other && metadataOf(other).resourceVersion) ?? 0)
  const about = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    ...(namespace !== '' && { namespace }),
    name,
    moved: revision !== before,
    automatic: object !== undefined && isOf(managers, object),
  }
  if (object === undefined) return before === 0 ? undefined : { ...about, difference: 'deleted' }
  if (other === undefined) return { ...about, difference: 'created', object: stripped(object) }
  const changes = changesOf(stripped(other), stripped(object)).filter(({ path }) => !statusTime.test(path))
  return changes.length === 0 ? undefined : { ...about, difference: 'changed', changes, object: stripped(object) }
}

const order = ({ kind, namespace = '', name }: Difference) =>
  `${kind === 'CustomResourceDefinition' ? 0 : kind === 'Namespace' ? 1 : 2} ${kind} ${namespace} ${name}`

export interface Comparison {
  readonly branch: Branch
  /** Who asks. */
  readonly user: User
  readonly live: Ask
  /** Field managers of the built-in controllers. */
  readonly managers: readonly string[]
}

/** In order of dependency: definitions and namespaces first. Rejects with an ApiError. */
export async function differencesOf(comparison: Comparison): Promise<Differences> {
  const { settings, revision } = comparison.branch
  const differences: Difference[] = []
  let hidden = 0
  for (const touched of comparison.branch.touched()) {
    const found = await differenceOf(comparison, touched)
    if (found === 'forbidden') hidden++
    else if (found) differences.push(found)
  }
  differences.sort((a, b) => (order(a) < order(b) ? -1 : 1))
  return { branch: settings.name, revision: String(revision), differences, hidden }
}

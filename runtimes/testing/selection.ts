/** Selects requests, for faults and for looking back. */
import { list, type OptionType, type RowsOf, text } from '../../core/options/types.ts'
import { requestInfo } from '../../core/request/info.ts'
import { splitTarget, targetOf } from '../../core/request/target.ts'

const verbs = {
  write: ['create', 'update', 'patch', 'delete', 'deletecollection'],
  read: ['get', 'list', 'watch'],
} as const

type Verb = (typeof verbs)[keyof typeof verbs][number] | keyof typeof verbs

/** Which requests; what is left out selects all. */
export interface Selection {
  /** Verbs of the API, such as `update`; `write` and `read` stand for all of their kind. */
  readonly verb?: Verb | readonly Verb[]
  /** Plural with or without group, such as `deployments` or `deployments.apps`, of all subresources; `deployments/status`: of this one. */
  readonly resource?: string | readonly string[]
  /** Namespace in the path. */
  readonly namespace?: string
  /** Name of the object in the path. */
  readonly name?: string
  /** Name of the user. */
  readonly user?: string
}

/** What is known of a request before it is answered. */
export interface RequestFacts {
  readonly user: string
  readonly verb: string
  /** Plural and group, such as `deployments.apps`; empty for paths that are no resources. */
  readonly resource: string
  /** Empty: none. */
  readonly subresource: string
  readonly namespace: string
  /** Empty for collections, and for objects that are created with a generated name. */
  readonly name: string
  /** Path and query. */
  readonly path: string
}

const oneOrMore: OptionType = (value, platform) => (Array.isArray(value) ? list(text)(value, platform) : text(value, platform))

export const selectionRows = { verb: oneOrMore, resource: oneOrMore, namespace: text, name: text, user: text } satisfies RowsOf<Selection>

const listOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : [value as T])

export const isWrite = ({ verb }: RequestFacts): boolean => (verbs.write as readonly string[]).includes(verb)

const hasVerb = (wanted: Verb, verb: string) =>
  wanted === verb || (wanted in verbs && (verbs[wanted as 'read'] as readonly string[]).includes(verb))

function hasResource(wanted: string, { resource, subresource }: RequestFacts): boolean {
  const [plural = '', part] = wanted.split('/')
  return (plural === resource || plural === resource.split('.')[0]) && (part === undefined || part === subresource)
}

export function selects({ verb, resource, namespace, name, user }: Selection, asked: RequestFacts): boolean {
  return (
    (verb === undefined || listOf(verb).some((each) => hasVerb(each, asked.verb))) &&
    (resource === undefined || listOf(resource).some((each) => hasResource(each, asked))) &&
    (namespace === undefined || namespace === asked.namespace) &&
    (name === undefined || name === asked.name) &&
    (user === undefined || user === asked.user)
  )
}

/** The name in a JSON body; empty when there is none. */
function nameIn(body: string | undefined): string {
  try {
    return (JSON.parse(body ?? '') as { metadata?: { name?: string } }).metadata?.name ?? ''
  } catch {
    return ''
  }
}

/** `body`: of a creation, whose path has no name. */
export function factsOf(request: Request, user: string, body: string | undefined): RequestFacts {
  const path = targetOf(request)
  const { path: plain, query } = splitTarget(path)
  const { verb, resource, group, subresource, namespace, name } = requestInfo(request.method, plain, query)
  const qualified = group === '' || resource === '' ? resource : `${resource}.${group}`
  return { user, verb, resource: qualified, subresource, namespace, name: name === '' && verb === 'create' ? nameIn(body) : name, path }
}

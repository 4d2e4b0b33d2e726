/** Differences from the reference that are meant, each with its reason. A row that no answer needs fails a whole run. */
import type { Json, JsonObject } from '../../core/schema/model.ts'
import type { Call } from './exchange.ts'
import type { Normal } from './normal.ts'

export interface Accepted {
  readonly reason: string
  applies(request: AnsweredRequest): boolean
  /** The answer without what may differ from the other server's. */
  clear(answer: Normal): Normal
  /** What is cleared are sentences of the reference, which are not recorded. */
  readonly theirTexts?: true
}

/** A request as the table tells requests apart. */
interface AnsweredRequest {
  readonly part: string
  readonly kind: string
  readonly call: Call
}

/** A copy of the value with some members replaced, at any depth. */
function replaced(value: Json, replace: (name: string, member: Json) => Json | undefined): Json {
  if (Array.isArray(value)) return value.map((each) => replaced(each, replace))
  if (typeof value !== 'object' || value === null) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) result[name] = replace(name, member) ?? replaced(member, replace)
  return result
}

const onBody = (answer: Normal, replace: (name: string, member: Json) => Json | undefined): Normal => ({
  ...answer,
  body: replaced(answer.body, replace),
})

function byManager(one: Json, other: Json): number {
  const key = (entry: Json) => {
    const { manager = '', operation = '', subresource = '', apiVersion = '' } = entry as JsonObject
    return [manager, operation, subresource, apiVersion].join(' ')
  }
  return key(one) < key(other) ? -1 : 1
}

const anyRequest = () => true

const maxCauses = 100

/** Without the condition that a controller of the reference writes, and without its ownership. */
const withoutReport = (answer: Normal, manager: string, condition: string) =>
  onBody(answer, (name, member) => {
    const of = (key: string) => (each: Json) => (each as JsonObject)[key] !== (key === 'manager' ? manager : condition)
    if (name === 'managedFields' && Array.isArray(member)) return member.filter(of('manager'))
    const { conditions, ...rest } = (name === 'status' ? member : {}) as JsonObject
    if (!Array.isArray(conditions)) return undefined
    const others = conditions.filter(of('type'))
    return others.length === 0 ? rest : { ...rest, conditions: others }
  })

/** Answers that are not compared at all. */
const nothing: Normal = { code: 0, headers: {}, layout: '', body: null }

const addressless = (text: string) => text.replace(/(https:\/\/)?"?\d+\.\d+\.\d+\.\d+:\d+"?/, '<address>')
const withoutAddress = (name: string, member: Json) =>
  ['serverAddress', 'jwks_uri'].includes(name) && typeof member === 'string' ? addressless(member) : undefined

export const acceptedDifferences: readonly Accepted[] = [
  {
    reason: 'Priority and fairness is not implemented yet: no answer names its flow schema and priority level.',
    applies: anyRequest,
    clear: ({ headers, ...answer }) => ({
      ...answer,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-kubernetes-pf-'))),
    }),
  },
  {
    reason: 'Aggregation is not implemented yet: a warning says that requests are not forwarded.',
    applies: ({ kind }) => kind.startsWith('apiservices.'),
    clear: ({ headers, ...answer }) => ({
      ...answer,
      headers: Object.fromEntries(
        Object.entries(headers).filter(
          ([name, values]) => name !== 'warning' || !values.some((each) => each.includes('are not forwarded')),
        ),
      ),
    }),
  },
  {
    reason: 'At most 100 errors are listed, so that a small request has no answer of megabytes.',
    applies: anyRequest,
    clear: (answer) => {
      const { details } = answer.body as { details?: { causes?: Json[] } }
      if ((details?.causes?.length ?? 0) <= maxCauses) return answer
      return onBody(answer, (name, member) => {
        if (name === 'message' && typeof member === 'string' && member.endsWith(']')) return '<errors>'
        return name === 'causes' && Array.isArray(member) ? member.slice(0, maxCauses) : undefined
      })
    },
  },
  {
    reason: 'Priority and fairness is not implemented yet: no controller reports whether the level of a flow schema exists.',
    applies: ({ kind }) => kind.startsWith('flowschemas.'),
    clear: (answer) => withoutReport(answer, 'api-priority-and-fairness-config-consumer-v1', 'Dangling'),
  },
  {
    reason: 'Aggregation is not implemented yet: no controller reports whether the server behind an APIService is available.',
    applies: ({ kind }) => kind.startsWith('apiservices.'),
    clear: (answer) => withoutReport(answer, 'kube-apiserver', 'Available'),
  },
  {
    reason: 'Compact JSON ends without a newline: to be mended.',
    applies: anyRequest,
    clear: (answer) => ({ ...answer, layout: answer.layout.replace('compact newline', 'compact') }),
  },
  {
    reason: 'Managers that write within one second are listed by name, others by time, so that the order depends on when a second ends.',
    applies: anyRequest,
    clear: (answer) =>
      onBody(answer, (name, member) => (name === 'managedFields' && Array.isArray(member) ? member.toSorted(byManager) : undefined)),
  },
  {
    reason: 'A distribution adds its service CA to the projected volumes of pods; the reference was built from its sources.',
    applies: ({ kind, call }) => kind === 'pods' || call.path.includes('/pods'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'sources' && Array.isArray(member)
          ? member.filter((source) => !JSON.stringify(source).includes('openshift-service-ca.crt'))
          : undefined,
      ),
  },
  {
    reason: 'A distribution asks for another right to proxies of requests that browsers can send, and says so in its denials.',
    applies: ({ part, call }) => part === 'denials' && call.path.includes('/proxy'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' ? member.replace(': proxy subresource changed to unsafeproxy', '') : undefined,
      ),
  },
  {
    reason: 'A distribution lets everyone read the configuration of the service account issuer.',
    applies: ({ part, call }) => part === 'denials' && call.path === '/.well-known/openid-configuration',
    clear: () => nothing,
  },
  {
    reason: "Node's HTTP/1.1 parser refuses methods that it does not know, before the server sees them.",
    applies: ({ call }) => call.method === 'BREW',
    clear: () => nothing,
  },
  {
    reason: 'The revision of the store when a request asks for a later one.',
    applies: ({ call }) => call.path.includes('resourceVersion='),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' ? member.replace(/, current: \d+$/, ', current: <revision>') : undefined,
      ),
  },
  {
    reason: 'The address at which a server says it can be reached.',
    applies: ({ call }) => /^\/(api\/?|\.well-known\/openid-configuration)(\?|$)/.test(call.path),
    clear: (answer) => ({ ...onBody(answer, withoutAddress), ...(typeof answer.body === 'string' && { body: addressless(answer.body) }) }),
  },
  {
    reason: 'Descriptions of kinds, fields and operations are our own sentences.',
    theirTexts: true,
    applies: ({ call }) => call.path.startsWith('/openapi'),
    clear: (answer) =>
      onBody(answer, (name, member) => (name === 'description' && typeof member === 'string' ? '<description>' : undefined)),
  },
  {
    reason: 'The commit, the date and the compiler of the build.',
    applies: ({ call }) => call.path.startsWith('/version'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        ['gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'].includes(name) &&
        typeof member === 'string'
          ? `<${name}>`
          : undefined,
      ),
  },
  {
    reason: 'Hashes of OpenAPI documents contain our descriptions.',
    applies: ({ call }) => /^\/openapi\/v3(\?|$)/.test(call.path),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'serverRelativeURL' && typeof member === 'string' ? member.replace(/hash=[^&]*/, 'hash=<hash>') : undefined,
      ),
  },
  {
    reason: 'Descriptions of table columns are our own sentences.',
    theirTexts: true,
    applies: ({ call }) => (call.headers?.['accept'] ?? '').includes('as=Table') || call.path.includes('/watch'),
    clear: (answer) =>
      onBody(answer, (name, member) => (name === 'description' && typeof member === 'string' ? '<description>' : undefined)),
  },
]

/** The reference's answer as it may be kept: facts, without its descriptions. */
export const withoutTheirTexts = (answer: Normal, request: AnsweredRequest): Normal =>
  acceptedDifferences.filter((row) => row.theirTexts && row.applies(request)).reduce((kept, row) => row.clear(kept), answer)

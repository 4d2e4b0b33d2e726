/** Differences from the reference that are meant, each with its reason. A row that no answer needs fails a whole run. */
import type { Json, JsonObject } from '../../core/schema/model.ts'
import type { Call } from './exchange.ts'
import type { Normal } from './normal.ts'

export interface Accepted {
  readonly reason: string
  applies(request: AnsweredRequest): boolean
  /** The answer without what may differ from the other server's. */
  clear(answer: Normal): Normal
  /** Whether a run needs it is chance: a run that does not is no failure. */
  readonly chance?: true
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

/** With sorted members, at any depth. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, Json] => [name, sorted(member)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

const anyRequest = () => true

const maxCauses = 100
const maxText = 48 * 1024
const maxMessage = 10 * 1024

/** With the errors that we list when there are more. */
function withFirstCauses(answer: Normal): Normal {
  const body = answer.body as { details?: { causes?: readonly { field?: string; message?: string }[] } }
  const causes = body.details?.causes ?? []
  let size = 0
  const end = causes.findIndex(({ field = '', message = '' }, index) => {
    if (index === maxCauses || size >= maxText) return true
    size += field.length + message.length
    return false
  })
  if (end < 0) return answer
  const details = { ...body.details, causes: causes.slice(0, end) }
  // The sentence about more errors has escaped characters.
  return { ...answer, layout: answer.layout.replace(' escaped', ''), body: { ...body, message: '<errors>', details } as unknown as Json }
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...others } = object
  return others
}

function withoutOwners(answer: Normal): Normal {
  const { metadata, ...rest } = answer.body as { metadata: JsonObject }
  return { ...answer, body: { ...rest, metadata: without(metadata, 'managedFields') } }
}

/** Without members of this name that are null, at any depth. */
function withoutNull(value: Json, name: string): Json {
  if (Array.isArray(value)) return value.map((each) => withoutNull(each, name))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key, member]) => key !== name || member !== null)
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNull(member, name)]))
}

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

/** A difference between two pod specs without the volume of the account's token, whose lines are counted, too. */
const withoutAccountVolume = (text: string) =>
  text.replaceAll(/^@@ -\S+ \+\d+,/gm, '@@ -<lines> +<line>,').replaceAll(/^- {3}"Name": "kube-api-access[\s\S]*?^- {2}\}/gm, '<volume>')

/** A pod in JSON, quoted in a message, without the distribution's source of a projected volume. */
const withoutQuotedServiceCa = (text: string) =>
  text.replaceAll(/,\{\\"configMap\\":\{\\"name\\":\\"openshift-service-ca\.crt\\",\\"items\\":\[[^\]]*\]\}\}/g, '')

/** A pod in YAML without the distribution's source of a projected volume. */
const withoutServiceCa = (text: string) =>
  text.replaceAll(/^ *- configMap:\n *items:\n *- key: service-ca\.crt\n *path: service-ca\.crt\n *name: openshift-service-ca\.crt\n/gm, '')

/** Without bookmarks, except the one after the initial events. */
function withoutBookmarks(answer: Normal): Normal {
  const isKept = (event: Json) =>
    (event as JsonObject | null)?.['type'] !== 'BOOKMARK' || JSON.stringify(event).includes('initial-events-end')
  // One event alone is not in a list.
  const events = Array.isArray(answer.body) ? answer.body : answer.body === '' ? [] : [answer.body]
  return { ...answer, layout: '', body: events.filter(isKept) }
}

/** Component statuses by name, without what depends on the programs that run beside the server. */
function withoutHealth(answer: Normal): Normal {
  const { items } = (answer.body ?? {}) as { items?: JsonObject[] }
  const nameOf = ({ metadata }: JsonObject) => String((metadata as JsonObject)['name'])
  const cleared = (item: JsonObject) => (nameOf(item).startsWith('etcd') ? item : { ...item, conditions: '<health>' })
  if (items === undefined) return answer
  const byName = items.map(cleared).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  return { ...answer, body: { ...(answer.body as JsonObject), items: byName } }
}

const oneOf = (flags: readonly string[]) => new RegExp(flags.map((flag) => `"--${flag}"`).join('|'))

/** Flags that the reference fails with only after it has found its store. */
const refusedLater = oneOf([
  ...['admission-control-config-file=/proc/none', 'endpoint-reconciler-type=x'],
  ...['kubelet-certificate-authority=/proc/none', 'peer-ca-file=/proc/none'],
])
/** Flags that the reference starts with: most are about an audit log, an audit or authorization webhook or a client certificate that is not there. */
const ignored = oneOf([
  ...['authorization-mode=', 'authorization-webhook-version=x', 'proxy-client-cert-file=x'],
  ...['etcd-compaction-interval=-1s', 'etcd-healthcheck-timeout=-1s'],
  ...['audit-log-mode=x', 'audit-log-format=x', 'audit-log-max(age|size)=-1'],
  ...['audit-webhook-config-file=/proc/none', 'audit-webhook-mode=x', 'audit-webhook-batch-max-size=0'],
])

/** A dump without its numbers, widths and order; of requests in flight, only the one that asks is left. */
function withoutCounts(text: string): string {
  const shapes = text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-?\d[\d.:TZ-]*/g, '<n>'))
  const rows = shapes.map((line) => line.replaceAll(/\b(true|false)\b/g, '<boolean>'))
  const isOfRequests = text.startsWith('PriorityLevelName, FlowSchemaName,')
  const kept = isOfRequests
    ? [...new Set(rows.filter((line, index) => index === 0 || /^exempt, exempt, .*(<n>|dump_requests.*)$/.test(line)))]
    : rows
  return kept.toSorted().join('\n')
}

/** Answers that are not compared at all. */
function withoutRefusedWarnings(answer: Normal): Normal {
  if (!JSON.stringify(answer.body).includes('"the API version in the data (')) return answer
  const { warning: _, ...headers } = answer.headers
  return { ...answer, headers }
}

const nothing: Normal = { code: 0, headers: {}, layout: '', body: null }

const addressless = (text: string) => text.replace(/(https:\/\/)?"?(\d+\.\d+\.\d+\.\d+:\d+|<server>)"?/, '<address>')
const withoutAddress = (name: string, member: Json) =>
  ['serverAddress', 'jwks_uri'].includes(name) && typeof member === 'string' ? addressless(member) : undefined

/** A YAML text without its descriptions, which may go on in deeper lines. */
const undescribedYaml = (text: string) =>
  text.replaceAll(/^( *- |\s*)description: .*\n(?:(?: {4}.*)?\n)*/gm, '$1description: <description>\n')

/** Without sentences, and without what they are escaped for. */
const withoutDescriptions = (answer: Normal): Normal => ({
  ...onBody(answer, (name, member) => (name === 'description' && typeof member === 'string' ? '<description>' : undefined)),
  ...(typeof answer.body === 'string' && { body: undescribedYaml(answer.body) }),
  layout: answer.layout.replace(' escaped', ''),
})

/** Tables without the sentences about their columns. Objects in rows keep theirs. */
const withoutColumnDescriptions = (answer: Normal): Normal => ({
  ...onBody(answer, (name, member) =>
    name === 'columnDefinitions' && Array.isArray(member)
      ? member.map((column) => ({ ...(column as JsonObject), description: '<description>' }))
      : undefined,
  ),
  ...(typeof answer.body === 'string' && { body: undescribedYaml(answer.body) }),
  layout: answer.layout.replace(' escaped', ''),
})

const isOpenApi = ({ call }: AnsweredRequest) => call.path.startsWith('/openapi')

/** Schemas without descriptions; a list of one reference, which a description needs beside it, as the reference alone. */
function undescribed(schemas: Json): Json {
  if (Array.isArray(schemas)) return schemas.map(undescribed)
  if (typeof schemas !== 'object' || schemas === null) return schemas
  const { description, allOf, ...members } = schemas
  const rest: JsonObject = typeof description === 'object' && description !== null ? { description, ...members } : members
  const [only, ...more] = Array.isArray(allOf) ? allOf : []
  const isReference = typeof only === 'object' && only !== null && '$ref' in only && more.length === 0
  const inner = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, undescribed(member)]))
  if (allOf === undefined) return inner
  return isReference ? { ...(only as JsonObject), ...inner } : { allOf: undescribed(allOf), ...inner }
}

/** A Swagger document with shared parameters in place of references to them. */
function withOwnParameters(answer: Normal): Normal {
  const { parameters, ...document } = answer.body as { parameters?: { readonly [name: string]: Json } }
  if (parameters === undefined) return answer
  const inlined = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inlined)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value
    if (typeof $ref === 'string' && $ref.startsWith('#/parameters/')) return parameters[$ref.slice('#/parameters/'.length)] ?? value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inlined(member)]))
  }
  return { ...answer, body: inlined(document as Json) }
}

const isAboutHealth = ({ call }: AnsweredRequest) => /^\/($|\?|index\.html|healthz|livez|readyz)/.test(call.path)

/** Without these health checks, in the answers of the checks and in the list of paths. */
const withoutChecks =
  (isLeftOut: (name: string, endpoint: string) => boolean) =>
  (answer: Normal): Normal => {
    if (typeof answer.body === 'string') {
      const endpoint = /(\w+) check (passed|failed)\n$/.exec(answer.body)?.[1] ?? ''
      const isKept = (line: string) => {
        const [, name = ''] =
          /^\[[+-]\](\S+) /.exec(line) ?? /^warn: some health checks cannot be excluded: no matches for "(\S+)"$/.exec(line) ?? []
        return !isLeftOut(name, endpoint)
      }
      return { ...answer, body: answer.body.split('\n').filter(isKept).join('\n') }
    }
    const isKept = (path: Json) => {
      const [, endpoint = '', check = ''] = /^\/(healthz|livez|readyz)\/(.*)$/.exec(String(path)) ?? []
      return check === '' || !isLeftOut(check, endpoint)
    }
    return onBody(answer, (name, member) => (name === 'paths' && Array.isArray(member) ? member.filter(isKept) : undefined))
  }

/** Headers of every answer but those of the library that opens the reference's WebSockets. */
const ofAnswers = [
  ...['audit-id', 'cache-control', 'content-type', 'warning'],
  ...['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'],
]

/** Causes of an error in any order. */
function withSortedCauses(answer: Normal): Normal {
  const { details, ...body } = answer.body as { details?: { causes?: readonly Json[] } & JsonObject }
  const texts = (details?.causes ?? []).map((cause) => JSON.stringify(cause)).toSorted()
  return { ...answer, body: { ...body, message: '<errors>', details: { ...details, causes: texts } } as Json }
}

/** The first response alone, without whether the connection ends. */
function withoutConnection(answer: Normal): Normal {
  const [first] = Array.isArray(answer.body) ? answer.body : [answer.body]
  return { ...answer, body: { ...(first as JsonObject), framing: [] } }
}

export const acceptedDifferences: readonly Accepted[] = [
  {
    reason:
      'The parser of HTTP/1.1 is stricter: methods that it does not know, bytes beyond ASCII in targets, and framing that RFC 9112 forbids or lets a server refuse (a length beside chunks, repeated lengths and codings, folded fields, line feeds, spaces and signs in sizes, bad trailers) are 400, and the connection ends; it passes empty lines and spaces before and in the first line, and unknown expectations of HTTP/1.0. A connection ends with the answer to a request that expects a 100 and got none. Upgrade is ignored in requests with a body and over HTTP/1.0 (RFC 9110 7.8).',
    applies: ({ part, kind }) => part === 'wire' && kind === 'judged',
    clear: () => ({ ...nothing, body: {} }),
  },
  {
    reason: 'The connection ends with an answer over HTTP/1.0, which may ask to keep it, one to CONNECT, and one that refuses to upgrade.',
    applies: ({ part, call }) =>
      part === 'wire' && /^CONNECT | HTTP\/1\.0\r\n|\r\n(Proxy-Connection: close|Upgrade: .+)\r\n/.test(call.body ?? ''),
    clear: withoutConnection,
  },
  {
    reason:
      'Redirects of webhooks to other servers are not followed: they would reach, with the credentials of this server, what only it can reach (CVE-2020-8561, which the reference leaves to its operators).',
    applies: ({ part, call }) =>
      part === 'answers' && /"location\\":\\"(https?|ftp):\/\/(?!\{\{hooks\}\})/.test(call.body?.replaceAll('{{hooks}}', 'x') ?? ''),
    clear: () => ({ ...nothing, body: {} }),
  },
  {
    reason:
      'PUT of the status of a service that does not exist is 404, as for other kinds. The reference creates the service, without an address: its strategy for the status inherits that updates create.',
    applies: ({ part, call }) => part === 'corpora' && call.method === 'PUT' && /\/services\/[^/]+\/status$/.test(call.path),
    clear: (answer) => (answer.code === 404 || answer.code === 422 ? { ...nothing, body: {} } : answer),
  },
  {
    reason: 'The reference lists errors of several AppArmor annotations in a random order.',
    applies: ({ part, call }) => part === 'corpora' && call.body?.includes('container.apparmor.security.beta.kubernetes.io') === true,
    clear: (answer) => (answer.code === 422 ? withSortedCauses(answer) : answer),
    chance: true,
  },
  {
    reason: 'Answers to handshakes of WebSockets have the headers of other answers, such as the audit id and warnings.',
    applies: ({ call }) => call.method === 'WEBSOCKET' || (call.method === 'RAW' && /\r\nupgrade: /i.test(call.body ?? '')),
    clear: (answer) =>
      answer.code === 101 || answer.layout.startsWith('text')
        ? { ...answer, headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ofAnswers.includes(name))) }
        : answer,
  },
  {
    reason: 'At most 100 errors with 48 KiB of text are listed, so that a small request has no answer of megabytes.',
    applies: anyRequest,
    clear: withFirstCauses,
  },
  {
    reason: 'Texts of more than 10 KiB are shortened in errors.',
    applies: anyRequest,
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' && member.length > maxMessage ? `${member.slice(0, 4096)}…` : undefined,
      ),
  },
  {
    reason:
      'The reference gives up the ownership of an object whose template has managed fields that are no object, and logs that this should not happen. Nothing reads those.',
    applies: ({ call }) => /"managedFields":\[\{"fieldsV1":(\[\]|")/.test(call.body ?? ''),
    clear: withoutOwners,
  },
  {
    reason: 'A time that a client has unset with the year 1 is left out of versions that are converted, where the reference writes null.',
    applies: ({ kind }) => kind.startsWith('horizontalpodautoscalers.autoscaling/v1'),
    clear: (answer) => ({ ...answer, body: withoutNull(answer.body, 'lastScaleTime') }),
  },
  {
    reason: 'A service of type ExternalName has no cluster IPs: one that a client gives to it is not copied into the list of them.',
    applies: ({ call }) => call.method === 'PUT' && /"type":"ExternalName",.*"clusterIP":/.test(call.body ?? ''),
    clear: (answer) => onBody(answer, (name, member) => (name === 'spec' ? without(member as JsonObject, 'clusterIPs') : undefined)),
  },
  {
    reason: 'Whether the level of a flow schema exists is reported soon after a write: which answers show it is chance.',
    chance: true,
    applies: ({ kind }) => kind.startsWith('flowschemas.'),
    clear: (answer) => withoutReport(answer, 'api-priority-and-fairness-config-consumer-v1', 'Dangling'),
  },
  {
    reason: 'Which reports about flow schemas come after a revision is chance, too: watches from it show them as changes.',
    chance: true,
    applies: ({ kind, call }) => kind.startsWith('flowschemas.') && /[?&]watch=1&.*resourceVersion=\{\{/.test(call.path),
    clear: () => nothing,
  },
  {
    reason: 'Whether the server behind an APIService is available is reported soon after a write: which answers show it is chance.',
    chance: true,
    applies: ({ kind }) => kind.startsWith('apiservices.'),
    clear: (answer) => withoutReport(answer, 'kube-apiserver', 'Available'),
  },
  {
    reason:
      'Watches of APIServices as Tables have their columns in the first event, as those of all other kinds: the reference repeats them.',
    applies: ({ kind, call }) =>
      kind.startsWith('apiservices.') && /[?&]watch=/.test(call.path) && (call.headers?.['accept'] ?? '').includes('as=Table'),
    clear: (answer) => ({
      ...answer,
      body: Array.isArray(answer.body)
        ? answer.body.map((event, at) =>
            at === 0 ? event : replaced(event, (name) => (name === 'columnDefinitions' ? '<columns>' : undefined)),
          )
        : answer.body,
    }),
  },
  {
    reason: 'Dumps of priority and fairness count requests, name those in flight, and list levels in any order.',
    applies: ({ kind }) => kind === 'dumps',
    clear: (answer) => ({ ...answer, body: typeof answer.body === 'string' ? withoutCounts(answer.body) : answer.body }),
  },
  {
    reason: 'Members of custom resources, their lists and their metadata are in the order of other kinds: JSON objects have no order.',
    applies: ({ part, kind }) =>
      ((part === 'custom' || part === 'formats' || part === 'json-patches') && kind === 'custom resources') ||
      (part === 'answers' && kind === 'conversion'),
    clear: (answer) => ({ ...answer, body: sorted(answer.body) }),
  },
  {
    reason: 'Managers that write within one second are listed by name, others by time, so that the order depends on when a second ends.',
    chance: true,
    applies: anyRequest,
    clear: (answer) =>
      onBody(answer, (name, member) => (name === 'managedFields' && Array.isArray(member) ? member.toSorted(byManager) : undefined)),
  },
  {
    reason: 'A distribution adds its service CA to the projected volumes of pods; the reference was built from its sources.',
    applies: ({ kind, call }) => kind === 'pods' || call.path.includes('/pods'),
    clear: (answer) => ({
      ...onBody(answer, (name, member) => {
        if (name === 'sources' && Array.isArray(member))
          return member.filter((source) => !JSON.stringify(source).includes('openshift-service-ca.crt'))
        return name === 'message' && typeof member === 'string' ? withoutQuotedServiceCa(withoutAccountVolume(member)) : undefined
      }),
      ...(typeof answer.body === 'string' && { body: withoutServiceCa(answer.body) }),
    }),
  },
  {
    reason: 'A distribution asks for another right to proxies of requests that browsers can send, and says so in its denials.',
    applies: ({ call }) => call.path.includes('/proxy'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string'
          ? member.replace(/: proxy (subresource|verb) changed to unsafeproxy/, '')
          : undefined,
      ),
  },
  {
    reason: 'A distribution lets everyone read the configuration of the service account issuer, and all paths beside it.',
    applies: ({ call }) => call.token !== undefined && call.path.startsWith('/.well-known/'),
    clear: () => nothing,
  },
  {
    reason: 'A distribution has roles for its service CA and for its public information.',
    applies: ({ kind, call }) => kind === 'documents' && call.path.startsWith('/apis/rbac.authorization.k8s.io/v1/clusterrole'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'items' && Array.isArray(member)
          ? member.filter((role) => !/"system:(openshift|controller:service-ca)/.test(JSON.stringify(role)))
          : undefined,
      ),
  },
  {
    reason: "Node's HTTP/1.1 parser refuses methods that it does not know, before the server sees them.",
    applies: ({ call }) => call.method === 'BREW',
    clear: () => nothing,
  },
  {
    reason:
      'The reference lists the rules of a user in the order of a hash table, which is another one in every answer; a distribution has one more.',
    applies: ({ call }) => call.path.includes('/selfsubjectrulesreviews'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        ['resourceRules', 'nonResourceRules'].includes(name) && Array.isArray(member)
          ? member
              .map((rule) => JSON.stringify(rule))
              .filter((rule) => !rule.includes('/.well-known'))
              .toSorted()
          : undefined,
      ),
  },
  {
    reason:
      'An apply to the status of a missing Service or ValidatingAdmissionPolicy creates it in the reference, by an oversight: its own rule is that subresources never create.',
    applies: ({ call }) => call.method === 'PATCH' && /\/(services|validatingadmissionpolicies)\/none\/status/.test(call.path),
    clear: () => nothing,
  },
  {
    reason: 'The reference warns about unknown fields of a body in a version that it refuses then.',
    applies: ({ part }) => part === 'kubectl',
    clear: withoutRefusedWarnings,
  },
  {
    reason:
      'A watch from a revision that the store has not reached ends with an error: after a restore from a backup, clients would otherwise wait for events that never come.',
    applies: ({ call }) =>
      /[?&]watch=/.test(call.path) && /[?&]resourceVersion=9+(&|$)/.test(call.path) && !call.path.includes('sendInitialEvents'),
    clear: () => nothing,
  },
  {
    reason: 'Bookmarks are sent at intervals: whether one comes before a watch of one second ends is chance.',
    chance: true,
    applies: ({ call }) => /[?&]watch=(1|true)&timeoutSeconds=1/.test(call.path),
    clear: withoutBookmarks,
  },
  {
    reason: 'A watch of one second from a future revision ends by its timeout or by an error after the wait for the revision: chance.',
    chance: true,
    applies: ({ call }) => /watch=1&timeoutSeconds=1.*resourceVersion=99999999999/.test(call.path),
    clear: () => nothing,
  },
  {
    reason:
      'Events are served from the watch cache, as other kinds: the reference asks its store, which has other words for impossible revisions.',
    applies: ({ part, kind, call }) => part === 'reads' && kind.startsWith('events') && /resourceVersion=(x|99999999999)/.test(call.path),
    clear: () => nothing,
  },
  {
    reason: 'The reference lists component statuses in the order in which its checks end, which find what runs on its host at that moment.',
    chance: true,
    applies: ({ call }) => call.path.startsWith('/api/v1/componentstatuses'),
    clear: withoutHealth,
  },
  {
    reason: 'Of several undeclared members of an object of its tests the reference names the first one in the order of a hash table.',
    applies: ({ part, call }) => part === 'corpora' && call.headers?.['content-type'] === 'application/apply-patch+yaml',
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' && member.includes('field not declared in schema')
          ? member.replace(/: (errors:|\.)[\s\S]*$/, ': <members>')
          : undefined,
      ),
    chance: true,
  },
  {
    reason: 'Of several undeclared members of an applied object the reference names the first one in the order of a hash table.',
    applies: ({ call }) => call.headers?.['content-type'] === 'application/apply-patch+yaml',
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' && /^failed to create typed patch object/.test(member)
          ? member.replaceAll(/^ {2}\.(metadata\.[ab]|[yz])(?=: field not declared in schema)/gm, '  .<member>')
          : undefined,
      ),
  },
  {
    reason: 'Of objects that are wrong in every field, errors of parts are listed before those about the whole.',
    applies: ({ part, call }) => part === 'corpora' && /[^"]Value\b/.test(call.body ?? ''),
    clear: (answer) => (answer.code === 422 ? withSortedCauses(answer) : answer),
  },
  {
    reason:
      "A delete that takes the garbage collector's finalizers away keeps its preconditions, and has a Status for a dry run: the reference's own first write breaks them, and its dry run answers with an empty object.",
    applies: ({ part, call }) => part === 'deletion' && /-[23]-background-[57]$/.test(call.path),
    clear: () => nothing,
  },
  {
    reason:
      'A namespace of dots, which can not exist, has no objects: the reference calls its own storage key invalid, which is an error of the server.',
    applies: ({ call }) => /\/namespaces\/(\.|%2e)\//.test(call.path),
    clear: () => nothing,
  },
  {
    reason: 'A name with bytes that are no UTF-8 is shown with U+FFFD in their place.',
    applies: ({ call }) => call.path.includes('%ff'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'message' && typeof member === 'string' ? member.replaceAll(/\\xff|\ufffd/g, '<byte>') : undefined,
      ),
  },
  {
    reason: 'Clients are told when to ask again for a future version of one object, too.',
    applies: ({ call }) => /fieldSelector=metadata\.name%3D.*resourceVersion=9{11}/.test(call.path),
    clear: ({ headers: { 'retry-after': _, ...headers }, ...answer }) => ({
      ...onBody({ headers, ...answer }, (name, member) => {
        if (name !== 'details') return undefined
        const { retryAfterSeconds: _seconds, ...details } = member as JsonObject
        return details
      }),
    }),
  },
  {
    reason: 'The certificate authority of clients, which this server makes when it is given none.',
    applies: ({ part, call }) => part === 'odd' && /\/configmaps(\?|$)/.test(call.path),
    clear: (answer) => onBody(answer, (name) => (name === 'client-ca-file' ? '<certificate>' : undefined)),
  },
  {
    reason:
      "An error of a flag is one line with the flag, the value and what it must be: the reference's are those of Go's parsers, or lists of all errors in a line of its log.",
    applies: ({ call }) => call.method === 'RUN',
    clear: (answer) => ({ ...answer, layout: '', body: '' }),
  },
  {
    reason: 'A value that the reference fails with after it has found its store is refused before.',
    applies: ({ call }) => call.method === 'RUN' && refusedLater.test(call.path),
    clear: () => nothing,
  },
  {
    reason:
      'Invalid values that the reference does not look at are refused, so that a mistake is found before what they are about is switched on; no authorization mode at all, with which the reference allows everything, is one of them.',
    applies: ({ call }) => call.method === 'RUN' && ignored.test(call.path),
    clear: () => nothing,
  },
  {
    reason: 'This server has a store, an issuer and a signing key of its own when it is given none.',
    applies: ({ call }) =>
      call.method === 'RUN' &&
      call.path.includes('--cert-dir') &&
      !['--etcd-servers=', '--service-account-issuer=', '--service-account-signing-key-file='].every((flag) => call.path.includes(flag)),
    clear: () => nothing,
  },
  {
    reason: 'Tokens expire some time after the request.',
    applies: ({ part }) => part === 'actions',
    clear: (answer) => onBody(answer, (name) => (name === 'expirationTimestamp' ? '<time>' : undefined)),
  },
  {
    reason: "Go's server sends a body with its answer to a HEAD request that it can't parse, which clients refuse.",
    applies: ({ call }) => call.method === 'HEAD' && /%($|zz)/.test(call.path),
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
    applies: isOpenApi,
    clear: withoutDescriptions,
  },
  {
    reason: 'Our kinds and fields have descriptions where those of the reference have none; a described reference stands in a list.',
    applies: isOpenApi,
    clear: (answer) => onBody(answer, (name, member) => (name === 'schemas' || name === 'definitions' ? undescribed(member) : undefined)),
  },
  {
    reason: 'Names of shared parameters contain hashes of their descriptions.',
    applies: ({ call }) => call.path.startsWith('/openapi/v2'),
    clear: withOwnParameters,
  },
  {
    reason: 'The group that an aggregator serves has members of its types in another order in Swagger documents.',
    applies: ({ call }) => call.path.startsWith('/openapi/v2'),
    clear: (answer) =>
      onBody(answer, (name, member) =>
        name === 'x-kubernetes-group-version-kind' && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member as JsonObject).toSorted())
          : undefined,
      ),
  },
  {
    reason: 'Series, numbers and times of metrics depend on earlier requests, and descriptions of metrics are our own.',
    applies: ({ call }) => call.path.startsWith('/metrics'),
    clear: ({ headers, body, ...answer }) => ({
      ...answer,
      headers: { ...headers, ...('process-start-time-unix' in headers && { 'process-start-time-unix': ['present'] }) },
      body: typeof body === 'string' ? (body.match(/^# TYPE .*$|^# HELP \S+ \[\w+\]/gm) ?? []) : body,
    }),
  },
  {
    reason: 'Requests are served only when custom resources are known and stored values can be read, which are checks of their own.',
    applies: isAboutHealth,
    clear: withoutChecks((name) => ['custom-resource-definitions', 'encrypted-data'].includes(name)),
  },
  {
    reason: 'A distribution does not ask the store when it says whether it is ready.',
    applies: (request) => isAboutHealth(request) && !/^\/(livez|healthz)/.test(request.call.path),
    clear: withoutChecks((name, endpoint) => endpoint !== 'livez' && endpoint !== 'healthz' && /^etcd(-readiness)?$/.test(name)),
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
    applies: ({ call }) => (call.headers?.['accept'] ?? '').includes('as=Table'),
    clear: withoutColumnDescriptions,
  },
]

/** The reference's answer as it may be kept: facts, without its descriptions. */
export const withoutTheirTexts = (answer: Normal, request: AnsweredRequest): Normal =>
  acceptedDifferences.filter((row) => row.theirTexts && row.applies(request)).reduce((kept, row) => row.clear(kept), answer)

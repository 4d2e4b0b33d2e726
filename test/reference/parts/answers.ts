/** What webhooks answer, as Go's decoders take it: each object tells the webhook that it meets how to answer. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { hook, type RawAnswer } from '../hooks.ts'

const configurations = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/default/configmaps?dryRun=All'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'answers.example.com'
const collection = (version: string) => `/apis/${group}/${version}/namespaces/default/readings`

const phases = [
  { name: 'mutating', plural: 'mutatingwebhookconfigurations', kind: 'MutatingWebhookConfiguration' },
  { name: 'validating', plural: 'validatingwebhookconfigurations', kind: 'ValidatingWebhookConfiguration' },
] as const
const versions = ['v1', 'v1beta1'] as const

type Answers = { readonly [what: string]: string | RawAnswer }

/** How a review is said: the whole of it, and one with other members of its response. */
interface Review {
  readonly whole: string
  readonly type: string
  readonly response: string
}

const admission = (version: string): Review => ({
  type: `"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}"`,
  response: '"uid":"<uid>","allowed":true,"warnings":["read"]',
  get whole() {
    return `{${this.type},"response":{${this.response}}}`
  },
})

const conversion: Review = {
  type: '"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"',
  response: '"uid":"<uid>","result":{"status":"Success"},"convertedObjects":[<objects>]',
  get whole() {
    return `{${this.type},"response":{${this.response}}}`
  },
}

const status = '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"broken","reason":"Conflict","code":409}'
const codes = [
  ...[201, 202, 203, 205, 206, 207, 226, 300, 303, 304, 305, 308, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 422],
  ...[423, 424, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 511, 599, 600, 700, 999],
]
const types = [
  ...['', 'text/plain', 'text/html', 'application/yaml', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/cbor', '*/*'],
  ...[
    'application/vnd.kubernetes.protobuf',
    'application/json;',
    'application/json; charset',
    'json',
    ';;',
    'application/json, text/plain',
  ],
  ...['application/json;stream=watch', 'application/json; a=b; a=c', 'a b', 'application/json/x'],
]

/** Texts that are no JSON, or barely: what either decoder may take. */
const texts: Answers = {
  'nothing but a space': ' ',
  null: 'null',
  list: '[]',
  text: '"x"',
  number: '1',
  true: 'true',
  object: '{}',
  html: '<html></html>',
  'a YAML list': '- a\n- b\n',
  'a YAML text': 'a b c',
  'two YAML documents': '---\na: 1\n---\nb: 2\n',
  'cut off': '{"kind":"Adm',
  deep: `${'['.repeat(200)}${']'.repeat(200)}`,
}

function* around({ whole, type, response }: Review): Generator<readonly [what: string, answer: string | RawAnswer]> {
  yield* Object.entries(texts)
  yield ['usual', whole]
  for (const after of [' x', '\n{}', whole, '\n', ' ', '\u0000', '}', ',', ']', '\n---\n', '\n# x', '\ufeff', '//'])
    yield [`${JSON.stringify(after.slice(0, 9))} behind it`, whole + after]
  for (const before of ['\ufeff', ' ', '\n\n', '\t', '\u00a0', '\u0000', '\u000c', ")]}',\n", 'x'])
    yield [`${JSON.stringify(before)} before it`, before + whole]
  yield ['gzip', { body: whole, gzip: 'gzip' }]
  yield ['GZIP', { body: whole, gzip: 'GZIP' }]
  yield ['gzip that is not named', { body: whole, gzip: '' }]
  yield ['deflate that is none', { body: whole, headers: { 'content-encoding': 'deflate' } }]
  yield ['identity', { body: whole, headers: { 'content-encoding': 'identity' } }]
  yield ['unknown encoding', { body: whole, headers: { 'content-encoding': 'x' } }]
  for (const code of codes) {
    yield [`code ${code}`, { body: whole, status: code }]
    yield [`code ${code} without a body`, { body: '', status: code }]
    yield [`code ${code} with a Status`, { body: status, status: code }]
  }
  for (const code of [400, 429, 500, 503])
    for (const after of ['0', 'x', '-1'])
      yield [`code ${code}, to be tried again after ${after}`, { body: whole, status: code, headers: { 'retry-after': after } }]
  yield ['code 503 with text', { body: 'not\nnow é', status: 503, type: 'text/plain' }]
  yield ['a Status', status]
  yield ['a Status of success', status.replace('Failure', 'Success')]
  for (const name of types) {
    yield [`type ${JSON.stringify(name)}`, { body: whole, type: name }]
    yield [`type ${JSON.stringify(name)}, without a body`, { body: '', type: name }]
    yield [`type ${JSON.stringify(name)}, refused`, { body: 'no', type: name, status: 400 }]
  }
  const other = (what: string, members: string) => [what, `{${type},"response":{${members}}}`] as const
  for (const kind of ['null', '1', '""', '"x"', '[]', '"admissionreview"'])
    yield [`kind ${kind}`, `{${type.replace(/^"kind":"\w+"/, `"kind":${kind}`)},"response":{${response}}}`]
  for (const version of ['null', '1', '""', '"x"', '"v1"', '"a/b/c"', '"/v1"', '"admission.k8s.io/v2"'])
    yield [`apiVersion ${version}`, `{${type.replace(/"apiVersion".*$/, `"apiVersion":${version}`)},"response":{${response}}}`]
  yield ['kind twice', `{"kind":"x",${type},"response":{${response}}}`]
  yield ['Kind, too', `{${type},"Kind":"x","response":{${response}}}`]
  yield ['Kind and APIVERSION', `{${type.replace('kind', 'Kind').replace('apiVersion', 'APIVERSION')},"response":{${response}}}`]
  yield ['Response', `{${type},"Response":{${response}}}`]
  yield ['response twice', `{${type},"response":{"uid":"x","allowed":false,"warnings":["a","b"]},"response":{${response}}}`]
  yield ['response twice, then null', `{${type},"response":{${response}},"response":null}`]
  // Texts name types of the version, which those of this server do not.
  const responses = type.endsWith('v1beta1"') ? ['null', '{}'] : ['null', '{}', '[]', '"x"', '1']
  for (const value of responses) yield [`response ${value}`, `{${type},"response":${value}}`]
  yield ['unknown members', `{"a":[{}],${type},"response":{"b":1,${response}},"request":{"uid":"x"},"metadata":3}`]
  for (const uid of ['null', '1', '""', '{}', '"<uid> "', '"\\u0000"']) yield other(`uid ${uid}`, response.replace('"<uid>"', uid))
  yield other('uid twice', `"uid":"x",${response}`)
  yield other('uid twice, then another', `${response},"uid":"x"`)
  yield other('UID', response.replace('uid', 'UID'))
  yield ['single quotes', whole.replaceAll('"', "'")]
  yield ['a comma behind the last', whole.replace(/\}\}$/, ',}}')]
  yield ['a comment', whole.replace('{', '{/* x */')]
  yield ['NaN', whole.replace('{', '{"x":NaN,')]
  yield ['01', whole.replace('{', '{"x":01,')]
  yield ['a number beyond doubles', whole.replace('{', '{"x":1e999,')]
  yield ['a tab in a text', whole.replace('{', '{"x":"\t",')]
  yield ['a control character', whole.replace('{', '{"x":"\u0001",')]
  yield ['half of a pair', whole.replace('{', '{"x":"\\ud800",')]
  yield ['no UTF-8', { body: whole.replace('{', '{"x":"\xff",'), binary: true }]
}

const said = (version: string, members: string) => `{${admission(version).type},"response":{"uid":"<uid>",${members}}}`

/** Members of the response of an admission webhook. */
function* members(version: string): Generator<readonly [what: string, answer: string]> {
  const of = (text: string) => [text, said(version, text)] as const
  for (const value of ['"true"', '1', '0', 'null', '{}', '"false"']) yield of(`"allowed":${value}`)
  for (const value of ['"x"', 'null', '[null]', '[1]', '{}', '["a","a"]', '[["a"]]', '[""]', '["\\u0000\\n"]', '["\\u00e9 \\"\\\\"]'])
    yield of(`"allowed":true,"warnings":${value}`)
  for (const value of ['null', '[]', '{"a":null}', '{"a":1}', '{"":"x"}', '{"a":"1","a":"2"}', '"x"'])
    yield of(`"allowed":true,"auditAnnotations":${value}`)
  const statuses = [
    ...[
      'null',
      '"x"',
      '[]',
      '{}',
      '{"code":"400"}',
      '{"code":400.0}',
      '{"code":400.5}',
      '{"code":4e2}',
      '{"code":99999999999}',
      '{"code":null}',
    ],
    '{"code":1e999}',
    ...[
      '{"code":0}',
      '{"code":-1}',
      '{"code":200}',
      '{"code":99}',
      '{"code":599}',
      '{"code":600}',
      '{"code":999}',
      '{"message":null}',
      '{"message":1}',
    ],
    ...[
      '{"Message":"x"}',
      '{"message":"a","message":"b"}',
      '{"reason":"x"}',
      '{"reason":1}',
      '{"reason":""}',
      '{"status":1}',
      '{"status":""}',
    ],
    ...['{"details":null}', '{"details":{}}', '{"details":[]}', '{"details":{"causes":null}}', '{"details":{"causes":[null]}}'],
    ...[
      '{"details":{"causes":[{}]}}',
      '{"details":{"causes":"x"}}',
      '{"details":{"retryAfterSeconds":"1"}}',
      '{"details":{"retryAfterSeconds":3}}',
    ],
    ...[
      '{"details":{"name":1}}',
      '{"details":{"name":"n","group":"g","kind":"k","uid":"u"}}',
      '{"metadata":{}}',
      '{"metadata":{"continue":"x"}}',
    ],
    ...[
      '{"metadata":null}',
      '{"kind":"x","apiVersion":"y"}',
      '{"message":"m","unknown":{}}',
      '{"code":404,"reason":"NotFound","message":""}',
    ],
  ]
  for (const value of statuses) yield of(`"allowed":false,"status":${value}`)
  yield of('"allowed":false,"status":{"message":"a"},"status":{"code":418}')
  yield of('"allowed":true,"allowed":false')
  yield of('"Allowed":true')
  yield of('"allowed":true,"Allowed":false')
  yield of('"allowed":true,"patch":null,"patchType":null')
  yield of('"allowed":true,"patch":[],"patchType":null')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const operation = '{"op":"add","path":"/data/b","value":"2"}'
  const patches = [
    ...[
      `[${operation}]`,
      '',
      'null',
      '[]',
      '{}',
      '"x"',
      '1',
      '[null]',
      '[1]',
      '[[]]',
      `[${operation}] x`,
      `\ufeff[${operation}]`,
      `[${operation},]`,
    ],
    ...['[{}]', '[{"op":null}]', '[{"op":"add"}]', '[{"op":"add","path":"/data/b"}]', '[{"op":"add","path":null}]'],
    ...[
      '[{"OP":"add","path":"/data/b","value":"2"}]',
      '[{"op":"ADD","path":"/data/b","value":"2"}]',
      '[{"op":"add","path":"data/b","value":"2"}]',
    ],
    ...[
      '[{"op":"remove","op":"add","path":"/data/b","value":"2"}]',
      '[{"op":"test","path":"/data/none","value":null}]',
      '[{"op":"test","path":"/data/none"}]',
    ],
    ...[
      '[{"op":"add","path":"/data/b","value":"2","x":1}]',
      '[{"op":"copy","path":"/data/b"}]',
      '[{"op":"move","from":"/none","path":"/data/b"}]',
    ],
    ...[
      '- op: add\n  path: /data/b\n  value: "2"\n',
      '[{"op":"add","path":"/data/b","value":"\\ud800"}]',
      '[{"op":"add","path":"/data/b~2","value":"2"}]',
    ],
  ]
  for (const patch of patches) {
    const typed = said(version, `"allowed":true,"patchType":"JSONPatch","patch":${JSON.stringify(base64(patch))}`)
    yield [`patch ${JSON.stringify(patch)}`, typed]
  }
  const usual = base64(`[${operation}]`)
  const forms = [
    ...['1', '{}', 'true', '[91,93]', '[null]', JSON.stringify([...Buffer.from(`[${operation}]`)])],
    ...[`"${usual.slice(0, 8)}\\n${usual.slice(8)}"`, `"${usual.replaceAll('=', '')}"`, '"!"', '"W10"', '"W10="', '"W10=="', '"W1\\r0="'],
    ...['"W10-"', '"W10_"', '"W13="', '"="', '"é"'],
  ]
  for (const form of forms) yield [`patch as ${form}`, said(version, `"allowed":true,"patchType":"JSONPatch","patch":${form}`)]
  const patchTypes = ['""', '"jsonpatch"', '"MergePatch"', 'null', '"JSONPatch "', ...(version === 'v1' ? ['1', '[]'] : [])]
  for (const type of patchTypes) yield [`patch of type ${type}`, said(version, `"allowed":true,"patchType":${type},"patch":"${usual}"`)]
  yield ['denied with a patch', said(version, `"allowed":false,"patchType":"JSONPatch","patch":"${usual}"`)]
}

/** Members of the response of a conversion webhook. */
function* conversions(): Generator<readonly [what: string, answer: string]> {
  const of = (what: string, text: string) => [what, `{${conversion.type},"response":{"uid":"<uid>",${text}}}`] as const
  const results = [
    ...[
      'null',
      '{}',
      '[]',
      '"Success"',
      '{"status":"success"}',
      '{"status":1}',
      '{"status":null}',
      '{"Status":"Success"}',
      '{"status":"Success","code":"x"}',
    ],
    ...[
      '{"status":"Success","code":500,"message":"x"}',
      '{"status":"Failure","message":1}',
      '{"status":"Failure","message":""}',
      '{"status":"Failure","message":"no\\n"}',
    ],
    ...['{"status":"Failure","reason":"x","code":404}', '{"status":"Failure","status":"Success"}', '{"status":"Success","details":[]}'],
  ]
  for (const result of results) yield of(`result ${result}`, `"result":${result},"convertedObjects":[<objects>]`)
  const success = '"result":{"status":"Success"}'
  const api = `"apiVersion":"${group}/v2"`
  for (const list of [
    'null',
    '[]',
    '{}',
    '"x"',
    '[null]',
    '[1]',
    '["x"]',
    '[[]]',
    '[{}]',
    '[<objects>,<objects>]',
    '[<objects>,null]',
    '[true]',
  ])
    yield of(`objects ${list}`, `${success},"convertedObjects":${list}`)
  for (const more of ['"apiVersion":1', '"apiVersion":null', '"metadata":null', '"metadata":1', '"metadata":[]', '"metadata":{}'])
    yield of(`object with ${more}`, `${success},"convertedObjects":[{${api},"kind":"Reading",${more}}]`)
  yield of('convertedObjects twice', `${success},"convertedObjects":[null],"convertedObjects":[<objects>]`)
  yield of('ConvertedObjects', `${success},"ConvertedObjects":[<objects>]`)
  yield of('no objects', success)
  yield of('a list', `${success},"convertedObjects":[{${api},"kind":"ReadingList","items":[]}]`)
}

/** Redirects: where they lead, how often, and what is sent there. */
function* redirects(version: string): Generator<readonly [what: string, answer: RawAnswer]> {
  const to = (status: number, location: string): RawAnswer => ({ body: '', status, headers: { location } })
  const seen = `seen/${version}/<uid>`
  for (const status of [300, 301, 302, 303, 304, 305, 306, 307, 308]) yield [`${status} to a path`, to(status, `/${seen}`)]
  for (const status of [302, 307]) {
    const paths = [
      seen,
      `./${seen}?a=b#c`,
      `{{hooks}}/${seen}?timeout=1s`,
      `//{{hooks-host}}/${seen}`,
      '?x',
      `/${seen}/e%zz`,
      `/${seen}/a b`,
    ]
    const others = ['', '%zz', '\t', '/text/404/Im5vIg', '/text/200/Im5vIg', '/text/302/IiI']
    for (const location of [...paths, ...others]) yield [`${status} to ${JSON.stringify(location)}`, to(status, location)]
    for (const hops of [1, 8, 9, 10, 11]) yield [`${status}, and ${hops} more`, to(status, `/hops/${hops}/${status}/${seen}`)]
    yield [`${status}, then another`, to(status, `/hops/1/${status === 302 ? 307 : 302}/${seen}`)]
    const elsewhere = ['https://localhost:{{hooks-port}}', 'http://{{hooks-host}}', 'https://127.0.0.1:1', 'ftp://{{hooks-host}}']
    for (const origin of elsewhere) yield [`${status} to another server, ${origin}`, to(status, `${origin}/${seen}`)]
  }
  yield ['307 to be tried again', { body: '', status: 307, headers: { 'retry-after': '0', location: `/${seen}` } }]
}

const asAnswer = (answer: string | RawAnswer): RawAnswer => (typeof answer === 'string' ? { body: answer } : answer)

const map = (suite: string, answer: string | RawAnswer) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'answered', labels: { suite } },
  data: { answer: JSON.stringify(asAnswer(answer)) },
})

const suiteOf = (phase: string, version: string) => `answers-${phase}-${version}`

const configuration = (phase: (typeof phases)[number], version: string) => ({
  kind: phase.kind,
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: suiteOf(phase.name, version) },
  webhooks: [
    {
      name: 'asked.example.com',
      clientConfig: { url: hook.asked, caBundle: '{{authority}}' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { suite: suiteOf(phase.name, version) } },
      sideEffects: 'None',
      admissionReviewVersions: [version],
      // Enough for ten redirects on a busy machine.
      timeoutSeconds: 30,
    },
  ],
})

const schema = {
  openAPIV3Schema: { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } },
}
const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: `readings.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'readings', singular: 'reading', kind: 'Reading', listKind: 'ReadingList' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: hook.asked, caBundle: '{{authority}}' } },
    },
  },
}

const converted = [...around(conversion), ...conversions()]

function* scenes(): Generator<Scene> {
  for (const { name } of phases)
    for (const version of versions)
      for (const [what, answer] of [...around(admission(version)), ...members(version), ...redirects(version)]) {
        const calls = [send('POST', maps, map(suiteOf(name, version), answer))]
        yield { kind: `${name} ${version}`, at: what, calls }
      }
  for (const [index, [what]] of converted.entries()) yield { kind: 'conversion', at: what, calls: [get(`${collection('v2')}/r-${index}`)] }
}

const removals: readonly Call[] = [
  ...phases.flatMap((phase) =>
    versions.map((version): Call => ({ method: 'DELETE', path: `${configurations}/${phase.plural}/${suiteOf(phase.name, version)}` })),
  ),
  { method: 'DELETE', path: `${definitions}/${definition.metadata.name}` },
]

export const webhookAnswers: Part = {
  name: 'answers',
  small: true,
  before: () => [
    ...removals,
    { ...get(`${definitions}/${definition.metadata.name}`), until: 404 },
    send('POST', definitions, definition),
    ...phases.flatMap((phase) =>
      versions.map((version) => send('POST', `${configurations}/${phase.plural}`, configuration(phase, version))),
    ),
    { ...get(collection('v1')), until: 200 },
    ...converted.map(([, answer], index) =>
      send('POST', collection('v1'), {
        kind: 'Reading',
        apiVersion: `${group}/v1`,
        metadata: { name: `r-${index}` },
        data: { answer: JSON.stringify(asAnswer(answer)) },
      }),
    ),
    ...phases.flatMap(({ name }) => versions.map((version) => ({ ...send('POST', maps, map(suiteOf(name, version), '')), until: 500 }))),
  ],
  scenes,
  after: () => removals,
}

/** Random webhook responses: none crashes the server, bypasses the failure policy or stores an invalid object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNumbers } from '../../../support/random.ts'
import { progress, trials } from '../../../support/soak.ts'
import { patch, type Review, startWithWebhooks, webhook } from './webhook-harness.ts'

const { pick, chance, integer } = randomNumbers(18)
const configMaps = '/api/v1/namespaces/default/configmaps'
const rounds = trials(400, 50_000)

const texts = [
  '',
  'x',
  'JSONPatch',
  'AdmissionReview',
  'admission.k8s.io/v1',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  'é'.repeat(50),
  '"',
  'default',
  'kube-system',
]
const numbers = [0, -1, 1e308, 2 ** 53 + 1, 0.5, 404, 100, 700]

function anything(depth = 0): unknown {
  if (depth > 4 || chance(0.5)) return pick<unknown>([null, true, false, pick(texts), pick(numbers)])
  if (chance(0.5)) return Array.from({ length: integer(4) }, () => anything(depth + 1))
  return Object.fromEntries(Array.from({ length: integer(4) }, () => [pick(texts), anything(depth + 1)]))
}

const paths = [
  '/metadata',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/labels',
  '/metadata/managedFields',
  '/metadata/ownerReferences',
  '/metadata/finalizers',
  '/metadata/deletionTimestamp',
  '/metadata/generateName',
  '/data',
  '/data/x',
  '/data/-',
  '/kind',
  '/apiVersion',
  '/spec',
  '',
  '/',
  '//',
  '/__proto__/polluted',
  '/constructor/prototype/polluted',
  'data',
  '/data/~2',
  '/immutable',
]
const operation = () => ({
  op: pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'other', '']),
  path: pick(paths),
  from: pick(paths),
  value: anything(),
})

/** A valid response with one or two defects. */
function almost({ kind, apiVersion, request: { uid } }: Review): unknown {
  const answer: { [key: string]: unknown } = {
    kind,
    apiVersion,
    response: { uid, allowed: true, ...(chance(0.3) && patch(...Array.from({ length: integer(3) }, operation))) },
  }
  const response = answer['response'] as { [key: string]: unknown }
  const fields = ['uid', 'allowed', 'status', 'patch', 'patchType', 'auditAnnotations', 'warnings', 'other']
  if (chance(0.15)) response[pick(fields)] = anything()
  if (chance(0.05)) answer[pick(['kind', 'apiVersion', 'response'])] = anything()
  return answer
}

function written(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  if (chance(0.05)) return text.slice(0, integer(text.length))
  if (chance(0.02)) return `${'['.repeat(20_000)}`
  return text
}

for (const failurePolicy of ['Fail', 'Ignore']) {
  test(`random responses, failurePolicy ${failurePolicy}`, async (t) => {
    const answer = (review: Review) =>
      new Response(written(chance(0.1) ? anything() : almost(review)), { status: chance(0.05) ? pick([400, 404, 500]) : 200 })
    const hooks = await startWithWebhooks(t, { m: answer, v: answer })
    await hooks.mutating('m', webhook('m', { failurePolicy }))
    await hooks.validating('v', webhook('v', { failurePolicy }))
    const outcomes = new Map<number, number>()
    const say = progress(`answers of webhooks, ${failurePolicy}`, rounds)
    for (let round = 0; round < rounds; round++) {
      const name = `c${round}`
      const { code, message, body } = await hooks.send('POST', configMaps, { metadata: { name }, data: { a: 'b' } })
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
      assert.doesNotMatch(message, /panic/, JSON.stringify(hooks.reviews.at(-1)))
      if (code === 500) assert.match(message, /^Internal error occurred: /)
      if (code === 201) {
        const { kind, apiVersion, metadata } = body
        assert.deepEqual([kind, apiVersion, metadata['namespace']], ['ConfigMap', 'v1', 'default'])
        assert.equal(metadata['deletionTimestamp'], undefined)
      }
      hooks.reviews.length = 0
      say(round + 1, () => [...outcomes].join(' '))
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    assert.ok((outcomes.get(201) ?? 0) > 0 && outcomes.size > 2, JSON.stringify([...outcomes]))
    const elsewhere = await hooks.send('GET', '/api/v1/namespaces/kube-system/configmaps')
    assert.deepEqual(elsewhere.body['items'], [])
  })
}

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import type { Answer } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const configMaps = '/api/v1/namespaces/default/configmaps'

/** Loops that use up the cost limit of an expression. */
const costly = (number: number, list: string) =>
  `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= ${-number}))))`
const numbers = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]'

async function startServer(t: TestContext) {
  // The clock advances with each reading, so that the number of slices does not depend on the machine.
  let looks = 0
  const began = Date.now()
  const now = () => began + looks++ / 50
  const { api } = await startInProcess({ clock: { ...webClock, now } }, t)
  return {
    api,
    /** Reads a small object repeatedly while writes run; resolves to the responses of the writes and the number of reads. */
    async readDuring(writes: readonly (() => Promise<Answer<Status>>)[]) {
      let going = writes.length
      const answers = writes.map(async (write) => {
        const answer = await write()
        going--
        return answer
      })
      let reads = 0
      while (going > 0) {
        assert.equal((await api.get('/api/v1/namespaces/default')).status, 200)
        reads++
        // Other requests arrive through the event loop, as on sockets.
        await new Promise((resolve) => setImmediate(resolve))
      }
      return { answers: await Promise.all(answers), reads }
    },
  }
}

test('a policy that uses up its cost limit yields to other requests', async (t) => {
  const { api, readDuring } = await startServer(t)
  const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
  const variables = [{ name: 'slow', expression: costly(1, numbers) }]
  const validations = [
    { expression: 'variables.slow' },
    ...[2, 3, 4].map((number) => ({ expression: costly(number, numbers), messageExpression: "'not reached'" })),
  ]
  const spec = { matchConstraints: { resourceRules: [rule] }, variables, validations }
  await api.create(`${registration}/validatingadmissionpolicies`, { metadata: { name: 'slow' }, spec })
  const binding = { policyName: 'slow', validationActions: ['Deny'] }
  await api.create(`${registration}/validatingadmissionpolicybindings`, { metadata: { name: 'slow' }, spec: binding })
  const create = () => api.send<Status>('POST', configMaps, { metadata: { generateName: 'x' } })
  await eventually('the policy', async () => (await create()).status === 422)
  const { answers, reads } = await readDuring([create, create, create])
  for (const { status, body } of answers) {
    assert.equal(status, 422)
    assert.match(body.message ?? '', /'slow' denied request: .*composited variable "slow" fails to evaluate: .*cost limit exceeded/)
  }
  // Without yielding there would be three reads.
  assert.ok(reads > 12, `${reads} reads`)
})

test('validation rules of a custom resource that use up their cost limit yield to other requests', async (t) => {
  const { api, readDuring } = await startServer(t)
  const rules = [...[1, 2, 3, 4].map((number) => ({ rule: costly(number, 'self.n') })), { rule: 'size(self.n) < 5', message: 'too many' }]
  const n = { type: 'array', maxItems: 20, items: { type: 'integer', maximum: 9 } }
  const openAPIV3Schema = {
    type: 'object',
    properties: { items: { type: 'array', maxItems: 1, items: { type: 'object', properties: { n }, 'x-kubernetes-validations': rules } } },
  }
  await api.create(definitionsPath, smallDefinition('example.com', 'Slow', { openAPIV3Schema }))
  const path = '/apis/example.com/v1/namespaces/default/slows'
  const items = [{ n: Array(16).fill(0) }]
  const create = () =>
    api.send<Status>('POST', path, { apiVersion: 'example.com/v1', kind: 'Slow', metadata: { generateName: 'x' }, items })
  await eventually('the resource', async () => (await create()).status === 422)
  const { answers, reads } = await readDuring([create, create])
  for (const { status, body } of answers) {
    assert.equal(status, 422)
    assert.match(body.message ?? '', /"x[a-z0-9]{5}" is invalid: items\[0\]: Invalid value: too many$/)
  }
  assert.ok(reads > 10, `${reads} reads`)
})

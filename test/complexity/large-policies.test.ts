/** Admission policies with as many expressions as bodies may have: they are compiled in slices, wherever that happens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'
import { eventually } from '../support/wait.ts'

/** Milliseconds of processor time. */
const limit = 250
const looks = 4

const api = serverForTests({ controllers: ['validatingadmissionpolicy-status'], admissionPlugins: { disable: ['ServiceAccount'] } })
const group = '/apis/admissionregistration.k8s.io/v1'
const policies = `${group}/validatingadmissionpolicies`
const bindings = `${group}/validatingadmissionpolicybindings`
const configMaps = '/api/v1/namespaces/default/configmaps'

const items = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const chain = (count: number) =>
  items(count, (index) => ({ name: `v${index}`, expression: index === 0 ? '1' : `variables.v${index - 1} + 1` }))
const validations = (count: number) => items(count, (index) => ({ expression: `object.metadata.name != 'x${index}'` }))

/** What of a policy is large. */
const specs: { readonly [name: string]: object } = {
  '15,000 validations': { validations: validations(15_000) },
  'a chain of 10,000 variables': { variables: chain(10_000), validations: [{ expression: 'variables.v9 > 0' }] },
  // Each validation is checked with all variables.
  '300 variables and 300 validations': { variables: chain(300), validations: validations(300) },
}

let number = 0
for (const [name, spec] of Object.entries(specs))
  test(`a policy with ${name} holds the thread for less than ${limit} ms: stored, type-checked, and used for the first time`, async (t) => {
    const pauses: number[] = []
    for (let look = 0; look < looks && Math.min(...pauses, Number.POSITIVE_INFINITY) >= limit; look++) {
      const policy = `p${number++}`
      const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
      const conditions = [{ name: 'own', expression: `object.metadata.name == '${policy}'` }]
      const body = {
        metadata: { name: policy },
        spec: { matchConstraints: { resourceRules: rules }, matchConditions: conditions, ...spec },
      }
      pauses.push(
        await longestPause(async () => {
          await api.create(policies, body)
          await eventually('a checked policy', async () => {
            const { status } = (await api.get(`${policies}/${policy}`)).body
            return status?.['observedGeneration'] === 1
          })
          await api.create(bindings, { metadata: { name: policy }, spec: { policyName: policy, validationActions: ['Deny'] } })
          await eventually('a judged create', async () => {
            const { status } = await api.send('POST', configMaps, { metadata: { name: policy } })
            return status === 201
          })
        }),
      )
    }
    t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms`)
    assert.ok(Math.min(...pauses) < limit, `${pauses.map(Math.round).join(', ')} ms`)
  })

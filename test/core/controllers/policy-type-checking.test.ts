/** Type checking of ValidatingAdmissionPolicies, in their status. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'

test('expressions are checked against the matched kinds, once per generation', async () => {
  const { api, close } = await startInProcess({ controllers: ['validatingadmissionpolicy-status'] })
  const resourceRules = [
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments', 'deployments/status', 'statefulsets', 'nothings'],
      operations: ['*'],
    },
    { apiGroups: ['*'], apiVersions: ['v1'], resources: ['pods'], operations: ['*'] },
  ]
  const spec = {
    matchConstraints: { resourceRules },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
    validations: [
      { expression: 'variables.replicas > 1 && params.data.size() > 0' },
      { expression: "object.spec.foo == 'x'", messageExpression: 'string(object.metadata.name) + string(params.wrong)' },
      { expression: 'object.spec.minReadySeconds > "a"' },
    ],
  }
  await api.create(policies, { metadata: { name: 'p' }, spec })
  interface Status {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[] }
  }
  const observed = (generation: number) =>
    eventually('a status', async () => {
      const status = (await api.get(`${policies}/p`)).body.status as Status | undefined
      return status?.observedGeneration === generation && status
    })
  const { typeChecking } = await observed(1)
  const warnings = typeChecking?.expressionWarnings ?? []
  assert.deepEqual(
    warnings.map(({ fieldRef }) => fieldRef),
    ['spec.validations[1].expression', 'spec.validations[1].messageExpression', 'spec.validations[2].expression'],
  )
  const about = (kind: string) =>
    `apps/v1, Kind=${kind}: ERROR: <input>:1:12: undefined field 'foo'\n | object.spec.foo == 'x'\n | ...........^\n`
  assert.equal(warnings[0]?.warning, `${about('Deployment')}\n${about('StatefulSet')}`)
  assert.match(warnings[1]?.warning ?? '', /undefined field 'wrong'/)
  assert.match(warnings[2]?.warning ?? '', /found no matching overload for '_>_' applied to '\(int, string\)'/)
  const [first] = spec.validations
  await api.patch(`${policies}/p`, { spec: { validations: [first] } })
  const next = await observed(2)
  assert.deepEqual(next, { observedGeneration: 2, typeChecking: {} })
  await close()
})

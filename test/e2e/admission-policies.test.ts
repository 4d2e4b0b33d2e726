/** Admission policies with kubectl: custom resources as params, all three actions, and a mutation. */
import assert from 'node:assert/strict'
import { eventually } from '../support/wait.ts'
import { type Desks, withEachKubectl } from './kubectl-desk.ts'

const definition = (group: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: limits, singular: limit, kind: Limit}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {most: {type: integer}}}}
`

const constraints = (namespace: string) => `
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules: [{operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]`

const policies = (namespace: string, group: string, actions: string) => `
apiVersion: ${group}/v1
kind: Limit
metadata: {name: small}
most: 1
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${namespace}}
spec:
  paramKind: {apiVersion: ${group}/v1, kind: Limit}${constraints(namespace)}
  validations:
  - expression: size(object.data) <= params.most
    messageExpression: '"at most " + string(params.most)'
    reason: Forbidden
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${namespace}}
spec: {policyName: ${namespace}, validationActions: [${actions}], paramRef: {name: small, parameterNotFoundAction: Deny}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: ${namespace}}
spec:
  reinvocationPolicy: Never${constraints(namespace)}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: ${namespace}}
spec: {policyName: ${namespace}}
`

function admissionPolicies(on: Desks): void {
  on('policies deny, warn and mutate', async ({ k, namespace, file, try: attempt }) => {
    const group = `${namespace}.example.com`
    await k(`apply -f ${file('definition.yaml', definition(group))}`)
    await k(`wait --for=condition=Established crd/limits.${group}`)
    await k(`apply -f ${file('policies.yaml', policies(namespace, group, 'Deny, Audit'))}`)
    const two = 'create configmap two --from-literal=a=1 --from-literal=b=2'
    const refused = await eventually('a refusal', async () => {
      const each = await attempt(`${two} --dry-run=server`)
      return each.code !== 0 && each
    })
    assert.match(
      refused.stderr,
      new RegExp(
        `configmaps "two" is forbidden: ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}' denied request: at most 1`,
      ),
    )
    await k('create configmap one --from-literal=a=1')
    assert.equal(await k('get configmap one -o jsonpath={.metadata.labels.seen}'), 'yes')

    await k(`apply -f ${file('warn.yaml', policies(namespace, group, 'Warn'))}`)
    const warned = await eventually('a warning', async () => {
      const each = await attempt(`${two} --dry-run=server`)
      return each.code === 0 && each
    })
    assert.match(
      warned.stderr,
      new RegExp(`Warning: Validation failed for ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}': at most 1`),
    )
    await eventually(
      'type checking',
      async () => (await k(`get validatingadmissionpolicy ${namespace} -o jsonpath={.status.observedGeneration}`)) === '1',
    )
    for (const kind of [
      'validatingadmissionpolicy',
      'validatingadmissionpolicybinding',
      'mutatingadmissionpolicy',
      'mutatingadmissionpolicybinding',
    ])
      await k(`delete ${kind} ${namespace}`)
  })
}

withEachKubectl('admission policies with kubectl', [admissionPolicies])

/** Creates policies on a server and waits until they are in force. */
import assert from 'node:assert/strict'
import type { Answer } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

export const group = '/apis/admissionregistration.k8s.io/v1'
export const configMaps = '/api/v1/namespaces/default/configmaps'

export const rule = (more: object = {}) => ({
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  ...more,
})

/** Mutating policies have no deletions. */
export const writeRule = (more: object = {}) => rule({ operations: ['CREATE', 'UPDATE'], ...more })

export interface Policies extends InProcess {
  /** Creates or replaces an object; asserts success. */
  put(path: string, object: { readonly metadata: { readonly name: string } }): Promise<void>
  /** Creates a validating policy for config maps and a binding of the same name; they are in force a moment later. */
  validating(name: string, spec: object, binding?: object): Promise<void>
  /** The same for a mutating policy. */
  mutating(name: string, spec: object, binding?: object): Promise<void>
  remove(...names: readonly string[]): Promise<void>
}

export async function startPolicies(options: Parameters<typeof startInProcess>[0] = {}): Promise<Policies> {
  const running = await startInProcess({ controllers: [], ...options })
  const { api } = running
  const put: Policies['put'] = async (path, object) => {
    const made = await api.send('POST', path, object)
    if (made.status === 201) return
    const { name } = object.metadata
    const { body } = await api.get(`${path}/${name}`)
    const { resourceVersion } = body.metadata
    const updated = await api.send('PUT', `${path}/${name}`, { ...object, metadata: { ...object.metadata, resourceVersion } })
    assert.equal(updated.status, 200, JSON.stringify([made.body, updated.body]))
  }
  return {
    ...running,
    put,
    async validating(name, spec, binding = {}) {
      const policy = { failurePolicy: 'Fail', matchConstraints: { resourceRules: [rule()] }, ...spec }
      await put(`${group}/validatingadmissionpolicies`, { metadata: { name }, spec: policy } as never)
      await put(`${group}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'], ...binding },
      } as never)
    },
    async mutating(name, spec, binding = {}) {
      const policy = { failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints: { resourceRules: [writeRule()] }, ...spec }
      await put(`${group}/mutatingadmissionpolicies`, { metadata: { name }, spec: policy } as never)
      await put(`${group}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: { policyName: name, ...binding } } as never)
    },
    async remove(...names) {
      for (const name of names) {
        await api.delete(`${group}/validatingadmissionpolicybindings/${name}`)
        await api.delete(`${group}/validatingadmissionpolicies/${name}`)
      }
    },
  }
}

/** Repeats a request until it answers with this status, as policies are in force only a moment after they are written. */
export const answers = (status: number, send: () => Promise<Answer>) =>
  eventually(`an answer of ${status}`, async () => {
    const answer = await send()
    return answer.status === status && answer
  })

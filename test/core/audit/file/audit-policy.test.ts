import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditPolicy } from '../../../../core/audit/file/audit-policy.ts'
import { loadFile } from '../../../../core/config/files/load.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { messageOf } from '../../../../core/schema/message-of.ts'

/** The problems of a policy, without the path of the file. */
function problems(policy: object): string {
  const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...policy })
  try {
    loadFile(auditPolicy, text, 'f', createPlatform())
    return ''
  } catch (error) {
    return messageOf(error).replaceAll('f: ', '')
  }
}
const ofRule = (rule: object) => problems({ rules: [{ level: 'Metadata', ...rule }] })

test('policies that the reference accepts', () => {
  const rules = [
    { level: 'None', users: ['system:kube-proxy'], verbs: ['watch'], resources: [{ group: '', resources: ['endpoints', 'services'] }] },
    {
      level: 'RequestResponse',
      resources: [{ group: 'apps' }, { group: '*', resources: ['*/scale'], resourceNames: ['a'] }],
      namespaces: [''],
    },
    { level: 'Request', nonResourceURLs: ['*', '/healthz*', '/'], userGroups: ['g'], omitManagedFields: true },
    { level: 'Metadata', omitStages: ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] },
  ]
  assert.equal(problems({ metadata: { name: 'p' }, rules, omitStages: ['Panic'], omitManagedFields: true }), '')
  assert.equal(ofRule({ unknown: 1 }), '', 'the reference warns of unknown fields')
})

test('policies that are refused, in the words of the reference', () => {
  assert.match(problems({ rules: [{}] }), /^rules\[0\]\.level: Required value/)
  assert.match(
    ofRule({ level: 'All' }),
    /^rules\[0\]\.level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"/,
  )
  assert.match(
    ofRule({ omitStages: ['x'] }),
    /^rules\[0\]\.omitStages\[0\]: Invalid value: "x": allowed stages are RequestReceived,ResponseStarted,/,
  )
  assert.match(problems({ rules: [{ level: 'None' }], omitStages: ['x'] }), /^omitStages\[0\]: Invalid value: "x": allowed stages are /)
  assert.match(ofRule({ nonResourceURLs: ['a'] }), /nonResourceURLs\[0\]: .*must begin with a '\/' character/)
  assert.match(ofRule({ nonResourceURLs: ['/*/a'] }), /nonResourceURLs\[0\]: .*must be the final character/)
  assert.match(ofRule({ nonResourceURLs: ['/a'], namespaces: ['x'] }), /cannot apply to both regular resources and non-resource URLs/)
  assert.match(ofRule({ resources: [{ group: 'apps/v1' }] }), /resources\.group: Invalid value: "apps\/v1": a lowercase RFC 1123 subdomain/)
  assert.match(ofRule({ resources: [{ resourceNames: ['a'] }] }), /resources\.resourceNames: .*requires at least one resource/)
  assert.match(ofRule({ users: 'x' }), /^rules\[0\]\.users: /)
  assert.match(problems({ rules: [] }), /^rules: Required value/)
  assert.match(
    problems({ apiVersion: 'audit.k8s.io/v1beta1', rules: [] }),
    /apiVersion: no kind "Policy" is registered for version "audit.k8s.io\/v1beta1"/,
  )
})

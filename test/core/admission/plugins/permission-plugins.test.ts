/** Plugins that check further rights: signers of certificates, owners of objects. */
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import type { Attributes } from '../../../../core/access/authz/authorizer.ts'
import type { PluginContext } from '../../../../core/admission/context.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from '../../../../core/admission/plugins/certificate-signers.ts'
import { ownerReferencesPermissionEnforcement } from '../../../../core/admission/plugins/owner-references-permission-enforcement.ts'
import { admit, contextWith } from '../context.ts'

/** A plugin context that allows these, written as `verb resource.group/subresource namespace/name`. */
function allowing(...questions: string[]): PluginContext {
  const asked = ({ verb, resource, group, subresource, namespace, name }: Attributes) =>
    `${verb} ${resource}.${group}/${subresource} ${namespace}/${name}`
  return contextWith(
    {},
    {
      authorizer: {
        name: 'list',
        authorize: (attributes) => ({ verdict: questions.includes(asked(attributes)) ? 'allow' : 'no-opinion', reason: 'not today' }),
      },
      resourceOf: (apiVersion, kind) =>
        apiVersion === 'apps/v1' && kind === 'Deployment'
          ? { group: 'apps', version: 'v1', resource: 'deployments', namespaced: true }
          : apiVersion === 'v1' && kind === 'Node'
            ? { group: '', version: 'v1', resource: 'nodes', namespaced: false }
            : undefined,
    },
  )
}

const csrs = 'certificatesigningrequests.certificates.k8s.io'
const csr = (signerName: string, status: object = {}, request = '') => ({ metadata: { name: 'c' }, spec: { signerName, request }, status })

test('CertificateApproval and CertificateSigning: rights for one signer or all signers of its domain', async () => {
  const approve = (context: PluginContext) =>
    admit(certificateApproval(context), {
      on: `${csrs}/approval`,
      operation: 'UPDATE',
      old: csr('example.com/a'),
      object: csr('example.com/a'),
    })
  assert.equal(await approve(allowing()), 'user not permitted to approve requests with signerName "example.com/a"')
  assert.equal(await approve(allowing('approve signers.certificates.k8s.io/ /example.com/a')), undefined)
  assert.equal(await approve(allowing('approve signers.certificates.k8s.io/ /example.com/*')), undefined)
  assert.notEqual(await approve(allowing('sign signers.certificates.k8s.io/ /example.com/a')), undefined)

  const sign = (context: PluginContext, status: object) =>
    admit(certificateSigning(context), {
      on: `${csrs}/status`,
      operation: 'UPDATE',
      old: csr('example.com/a'),
      object: csr('example.com/a', status),
    })
  const refusal = 'user not permitted to sign requests with signerName "example.com/a"'
  assert.equal(await sign(allowing(), { certificate: 'x' }), refusal)
  assert.equal(await sign(allowing(), { conditions: [{ type: 'Failed' }] }), refusal)
  assert.equal(await sign(allowing(), {}), undefined, 'no certificate is set')
  assert.equal(await sign(allowing('sign signers.certificates.k8s.io/ /example.com/*'), { certificate: 'x' }), undefined)
})

test('CertificateSubjectRestriction', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const request = async (name: string) =>
    btoa((await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm })).toString('pem'))
  const client = 'kubernetes.io/kube-apiserver-client'
  const make = (signer: string, body: string) =>
    admit(certificateSubjectRestriction(contextWith()), { on: csrs, operation: 'CREATE', object: csr(signer, {}, body) })
  const masters = await request('CN=x, O=a, O=system:masters')
  assert.equal(await make(client, masters), `use of ${client} signer with system:masters group is not allowed`)
  assert.equal(await make('example.com/other', masters), undefined)
  assert.equal(await make(client, await request('CN=system:masters, O=a')), undefined)
  assert.match((await make(client, btoa('x'))) ?? '', /^failed to parse CSR: /)
})

test('OwnerReferencesPermissionEnforcement', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: '1' }
  const blocking = { ...owner, blockOwnerDeletion: true }
  const object = (...ownerReferences: object[]) => ({ metadata: { name: 'p', ownerReferences } })
  const write = (context: PluginContext, now: object, before?: object, on = 'pods') =>
    admit(ownerReferencesPermissionEnforcement(context), {
      on,
      operation: before ? 'UPDATE' : 'CREATE',
      object: now,
      ...(before && { old: before }),
      namespace: 'dev',
    })
  const cannotDelete = "cannot set an ownerRef on a resource you can't delete: not today, <nil>"
  const cannotHold = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: not today, <nil>"
  const mayDelete = 'delete pods./ dev/p'
  const mayHold = 'update deployments.apps/finalizers dev/web'
  assert.equal(await write(allowing(), object(owner)), undefined, 'a new object')
  assert.equal(await write(allowing(), object(owner), object()), cannotDelete)
  assert.equal(await write(allowing(), object(), object(owner)), cannotDelete)
  assert.equal(await write(allowing(), object(owner), object(owner)), undefined, 'nothing changes')
  assert.equal(await write(allowing(mayDelete), object(owner), object()), undefined)
  assert.equal(await write(allowing(), object(owner), object(), 'pods/status'), undefined, 'status updates are not checked')
  assert.equal(await write(allowing(), object(blocking)), cannotHold)
  assert.equal(await write(allowing(mayHold), object(blocking)), undefined)
  assert.equal(await write(allowing(mayDelete), object(blocking), object(owner)), cannotHold)
  assert.equal(await write(allowing(mayDelete), object(owner), object(blocking)), undefined)
  const node = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '2', blockOwnerDeletion: true }
  assert.equal(await write(allowing('update nodes./finalizers /n'), object(node)), undefined, 'a cluster-scoped object')
  assert.equal(
    await write(allowing(), object({ ...node, kind: 'Widget' })),
    'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Widget: no matches for kind "Widget" in version "v1"',
  )
})

/** Owners of the table below, by a sign: `+` blocks the owner's deletion, `-` does not, none says nothing. */
const ownerOf = (text: string): object => {
  const [, name = '', sign] = /^(\w+)([+-]?)$/.exec(text) ?? []
  const [apiVersion, kind] = { node: ['v1', 'Node'], web: ['apps/v1', 'Deployment'], widget: ['v1', 'Widget'] }[name] ?? []
  return { apiVersion, kind, name, uid: name, ...(sign && { blockOwnerDeletion: sign === '+' }) }
}
const deletion = "can't delete"
const holding = "can't set finalizers on"
const unknown = 'cannot find RESTMapping'
/** Rights: `all` may update finalizers of everything, `pods` deletes pods, `node` and `web` update finalizers of these. */
const owned: readonly (readonly [rights: string, old: string | undefined, now: string, refusal?: string])[] = [
  ['', undefined, ''],
  ['', undefined, 'web'],
  ['', undefined, 'web- node'],
  ['', undefined, 'web+ node-', holding],
  ['node', undefined, 'web+ node+', holding],
  ['web', undefined, 'web+ node+', holding],
  ['web node', undefined, 'web+ node+'],
  ['all', undefined, 'web+ node+'],
  ['all', undefined, 'widget+'],
  ['web', undefined, 'widget+', unknown],
  ['', undefined, 'widget-'],
  ['', '', ''],
  ['', 'web', 'web'],
  ['', '', 'web', deletion],
  ['', 'web', 'web node', deletion],
  ['', 'web', '', deletion],
  ['', 'web+', 'web+'],
  ['all', '', 'web', deletion],
  ['all pods', 'widget', 'widget+'],
  ['pods', 'web node', 'web- node-'],
  ['pods', 'web-', 'web+', holding],
  ['pods', 'web', 'web+', holding],
  ['pods', 'node', 'node+', holding],
  ['pods', 'web+', 'web-'],
  ['pods', 'web+', 'web+ node+', holding],
  ['pods node', 'web+', 'web+ node+'],
  ['pods web', 'node-', 'web+ node-'],
  ['pods', '', 'web- node'],
  ['pods', '', 'node+', holding],
]

test(`OwnerReferencesPermissionEnforcement: ${owned.length} writes with the verdicts of the reference`, async () => {
  const questions: { readonly [right: string]: string } = {
    all: 'update *.*/finalizers /*',
    pods: 'delete pods./ dev/p',
    node: 'update nodes./finalizers /node',
    web: 'update deployments.apps/finalizers dev/web',
  }
  const list = (text: string) => text.split(' ').filter(Boolean)
  const object = (owners: string) => ({ metadata: { name: 'p', ownerReferences: list(owners).map(ownerOf) } })
  for (const [rights, old, now, refusal = ''] of owned) {
    const plugin = ownerReferencesPermissionEnforcement(allowing(...list(rights).map((right) => questions[right] ?? '')))
    const write = { on: 'pods', operation: old === undefined ? 'CREATE' : 'UPDATE', object: object(now), namespace: 'dev' } as const
    const answer = (await admit(plugin, { ...write, ...(old !== undefined && { old: object(old) }) })) ?? ''
    assert.equal(refusal === '' ? answer : answer.includes(refusal), refusal === '' ? '' : true, `${rights}: ${old} → ${now}: ${answer}`)
  }
})

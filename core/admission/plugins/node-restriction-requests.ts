/** NodeRestriction for certificate requests: a node's own, and those of pods that run on it (KEP-4317). */

import { requestedSubject } from '../../access/authn/certificate/certificate-request.ts'
import { internalError } from '../../answers/status.ts'
import type { PodCertificateRequestSpec as RequestSpec } from '../../resources/certificates/v1beta1/podcertificaterequest.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import { isMirror, nodeNameOf } from './node-restriction-pods.ts'
import type { NodeCheck, NodeWrite } from './node-write.ts'

/** Signers of certificates that authenticate nodes. */
const nodeSigners = ['<labels>/<component>let-serving', '<labels>/<component>-apiserver-client-<component>let']

export const checkCertificateRequest: NodeCheck = ({ attributes, node, platform, enabled, refuse }) => {
  if (enabled('AllowInsecureNodeagentCertificateSigningRequests') || attributes.operation !== 'CREATE') return
  const { signerName = '', request = '' } = (attributes.object?.['spec'] ?? {}) as { signerName?: string; request?: string }
  if (!nodeSigners.some((signer) => platform.name(signer).replaceAll('<component>', platform.component) === signerName)) return
  const wanted = `system:node:${node}`
  let commonName: string
  try {
    commonName = requestedSubject(request).commonName
  } catch (error) {
    throw refuse(`unable to parse csr: ${(error as Error).message}`)
  }
  if (commonName !== wanted) throw refuse(`can only create a node CSR with CN=${wanted}`)
}

type PodCertificateRequestSpec = Infer<typeof RequestSpec>

const quote = (value: string | undefined) => JSON.stringify(value ?? '')

/** An object that the request names. A missing one gives a retriable error, not a 403: caches may be outdated. */
async function named({ find, attributes }: NodeWrite, plural: string, kind: string, namespace: string, name: string): Promise<ApiObject> {
  const object = await find('', plural, namespace, name, attributes)
  if (object !== undefined) return object
  const shown = JSON.stringify(namespace === '' ? name : `${namespace}/${name}`)
  throw internalError(
    `while retrieving ${kind} ${shown} named in the PodCertificateRequest: ${kind.replace(' ', '')} ${quote(name)} not found`,
  )
}

export const checkPodCertificateRequest: NodeCheck = async (write) => {
  const { attributes, node, enabled, refuse } = write
  const { operation, subresource, namespace } = attributes
  if (!enabled('PodCertificateRequest')) throw refuse('PodCertificateRequest feature gate is disabled')
  if (operation !== 'CREATE') throw refuse(`unexpected operation ${operation}`)
  if (subresource !== '') throw refuse(`unexpected subresource ${subresource}`)
  const spec = (attributes.object?.['spec'] ?? {}) as PodCertificateRequestSpec
  const about = JSON.stringify(`${namespace}/${spec.podName ?? ''}`)
  const request = `PodCertificateRequest for pod ${about}`

  if (spec.nodeName !== node)
    throw refuse(`PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(node)}`)
  const own = (await named(write, 'nodes', 'node', '', node)).metadata.uid
  if (own !== spec.nodeUID)
    throw internalError(`${request} names node UID ${quote(spec.nodeUID)}, inconsistent with the running node (${quote(own)})`)

  const pod = await named(write, 'pods', 'pod', namespace, spec.podName ?? '')
  const { uid } = pod.metadata
  if (uid !== spec.podUID)
    throw internalError(`${request} contains pod UID (${quote(spec.podUID)}) which differs from running pod ${quote(uid)}`)
  if (nodeNameOf(pod) !== node) throw refuse(`pod ${about} is not running on node ${quote(node)} named in the PodCertificateRequest`)
  if (isMirror(pod, write)) throw refuse(`pod ${about} is a mirror pod`)

  const account = ((pod['spec'] ?? {}) as { serviceAccountName?: string }).serviceAccountName ?? ''
  if (spec.serviceAccountName !== account)
    throw refuse(
      `${request} contains serviceAccountName (${quote(spec.serviceAccountName)}) that differs from running pod (${quote(account)})`,
    )
  const accountUid = (await named(write, 'serviceaccounts', 'service account', namespace, account)).metadata.uid
  if (accountUid !== spec.serviceAccountUID)
    throw internalError(
      `${request} names service account UID ${quote(spec.serviceAccountUID)}, which differs from the running service account (${quote(accountUid)})`,
    )
}

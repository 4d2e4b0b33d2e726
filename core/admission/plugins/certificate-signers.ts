/** Approving and signing certificate requests requires permission for the signer (plugin/pkg/admission/certificates). */

import { requestedSubject } from '../../access/authn/certificate/certificate-request.ts'
import { forbidden } from '../../answers/status.ts'
import type { CertificateSigningRequest } from '../../resources/certificates/certificatesigningrequest.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, onlyOwnership, refusal } from './about.ts'

const group = 'certificates.<domain>'
const requests = 'certificatesigningrequests'
const requestsOf = ({ platform }: PluginContext) => ({ group: platform.name(group), resource: requests })

type Request = ApiObject & Infer<typeof CertificateSigningRequest>

const signerOf = (object: ApiObject | undefined) => (object as Request | undefined)?.spec?.signerName ?? ''

/** Whether the user has the verb on the signer, or on all signers of its domain. */
async function mayUse({ authorizer, platform }: PluginContext, attributes: AdmissionAttributes, verb: string, signer: string) {
  const [domain = ''] = signer.split('/')
  const { user } = attributes
  const common = { user, verb, isResource: true, path: '', version: '*', resource: 'signers', subresource: '', namespace: '' }
  for (const name of [signer, `${domain}/*`]) {
    const asked = { ...common, group: platform.name(group), name }
    if ((await authorizer.authorize(asked, attributes)).verdict === 'allow') return true
  }
  return false
}

export function certificateApproval(context: PluginContext): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    operations: ['UPDATE'],
    resources: [requestsOf(context)],
    async validate(attributes) {
      if (!isAbout(attributes, requests, context.platform.name(group), 'approval')) return
      const signer = signerOf(attributes.oldObject)
      if (await mayUse(context, attributes, 'approve', signer)) return
      throw forbidden(
        attributes.groupResource,
        attributes.name,
        `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`,
      )
    },
  }
}

export function certificateSigning(context: PluginContext): AdmissionPlugin {
  const signed = (object: ApiObject | undefined): Json => {
    const { certificate = '', conditions = [] } = (object as Request | undefined)?.status ?? {}
    return [certificate, conditions as Json]
  }
  return {
    name: 'CertificateSigning',
    operations: ['UPDATE'],
    resources: [requestsOf(context)],
    async validate(attributes) {
      const { groupResource, name, object, oldObject } = attributes
      if (!isAbout(attributes, requests, context.platform.name(group), 'status') || equal(signed(object), signed(oldObject))) return
      const signer = signerOf(oldObject)
      if (await mayUse(context, attributes, 'sign', signer)) return
      throw forbidden(groupResource, name, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`)
    },
  }
}

/** Writing a ClusterTrustBundle of a signer requires permission `attest` (ctbattest). The new object's signer is checked, since it can't change. */
export function clusterTrustBundleAttest(context: PluginContext): AdmissionPlugin {
  const bundles = { group: context.platform.name(group), resource: 'clustertrustbundles' }
  return {
    name: 'ClusterTrustBundleAttest',
    operations: ['CREATE', 'UPDATE'],
    resources: [bundles],
    async validate(attributes) {
      const { object, oldObject } = attributes
      const signer = signerOf(object)
      if (!context.enabled('ClusterTrustBundle') || signer === '' || object === undefined) return
      if (oldObject !== undefined && onlyOwnership(object, oldObject)) return
      if (await mayUse(context, attributes, 'attest', signer)) return
      throw refusal(attributes, `user not permitted to attest for signerName ${JSON.stringify(signer)}`)
    },
  }
}

/** Denies client certificate requests for the group `system:masters`. */
export function certificateSubjectRestriction(context: PluginContext): AdmissionPlugin {
  const { platform } = context
  const signer = platform.name('<labels>/<component>-apiserver-client').replace('<component>', platform.component)
  return {
    name: 'CertificateSubjectRestriction',
    operations: ['CREATE'],
    resources: [requestsOf(context)],
    validate(attributes) {
      const { groupResource, name, object } = attributes
      if (!isAbout(attributes, requests, platform.name(group)) || signerOf(object) !== signer) return
      let organizations: readonly string[]
      try {
        organizations = requestedSubject((object as Request).spec?.request ?? '').organizations
      } catch (error) {
        throw forbidden(groupResource, name, `failed to parse CSR: ${(error as Error).message}`)
      }
      if (organizations.includes('system:masters'))
        throw forbidden(groupResource, name, `use of ${signer} signer with system:masters group is not allowed`)
    },
  }
}

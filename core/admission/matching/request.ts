import type { User } from '../../request/exchange.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import { namespaceOf } from '../namespace-of.ts'
import type { Invocation } from './rules.ts'

const userInfo = ({ name, uid, groups, extra }: User) => ({
  ...(name !== '' && { username: name }),
  ...(uid !== undefined && uid !== '' && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
})

/** An AdmissionRequest without its objects, for webhooks and expressions (admission/v1). Empty fields are absent. */
export function admissionRequest(attributes: AdmissionAttributes, invocation: Invocation) {
  const { resource, kind, subresource, name, operation, user, dryRun, options } = attributes
  const namespace = namespaceOf(attributes)
  const plain = ({ group, version, kind }: Invocation['kind']) => ({ group, version, kind })
  return {
    kind: plain(invocation.kind),
    resource: invocation.resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: plain(kind),
    requestResource: resource,
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: options ?? null,
  }
}

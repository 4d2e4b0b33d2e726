/** Writing a policy or binding with parameters requires read permission for the parameters, because the policy's messages can reveal them. */

import type { Authorizer } from '../../access/authz/authorizer.ts'
import { invalid } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { User } from '../../request/exchange.ts'
import type { ParamKind } from '../../resources/admissionregistration/match.ts'
import type { ValidatingAdmissionPolicySpec } from '../../resources/admissionregistration/validatingadmissionpolicy.ts'
import type { ValidatingAdmissionPolicyBindingSpec } from '../../resources/admissionregistration/validatingadmissionpolicybinding.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'

type Spec = Infer<typeof ValidatingAdmissionPolicySpec> & Infer<typeof ValidatingAdmissionPolicyBindingSpec>

const privileged = 'system:masters'
const any = { group: '*', version: '*', resource: '*' }

/** Plural of policies by plural of bindings. */
const policies: ReadonlyMap<string, string> = new Map([
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
])

const specOf = (object: ApiObject | undefined) => (object?.['spec'] ?? {}) as Spec
const same = (a: unknown, b: unknown) => equal((a ?? null) as Json, (b ?? null) as Json)

/** Formats a user as the reference server does. */
function shown({ name, uid = '', groups, extra = {} }: User): string {
  const members = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${extra[key]?.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${members.join(' ')}]}`
}

export function policyParameters(platform: Platform, { find, resourceOf }: Lookup, authorizer: Authorizer): AdmissionPlugin {
  const group = platform.name('admissionregistration.<domain>')

  /** The resource of a kind; all resources of its group and version if it is unknown. */
  function resourcesOf({ apiVersion = '', kind = '' }: Infer<typeof ParamKind>): typeof any {
    const [first = '', second] = apiVersion.split('/', 2)
    const [group, version] = second === undefined ? ['', first] : [first, second]
    return { group, version, resource: resourceOf(apiVersion, kind)?.resource ?? '*' }
  }

  async function may(attributes: AdmissionAttributes, verb: string, resource: typeof any, name: string, namespace: string) {
    const { user } = attributes
    const asked = { user, verb, isResource: true, path: '', ...resource, subresource: '', name, namespace }
    return (await authorizer.authorize(asked, attributes)).verdict === 'allow'
  }

  async function authorizePolicy(attributes: AdmissionAttributes, errors: FieldErrors): Promise<void> {
    const { object, oldObject, user } = attributes
    const { paramKind } = specOf(object)
    if (paramKind === undefined || same(paramKind, specOf(oldObject).paramKind)) return
    if (await may(attributes, 'get', resourcesOf(paramKind), '*', '*')) return
    const what = `(kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`
    const why = `user ${shown(user)} must have "get" permission on all objects of the referenced paramKind ${what}`
    errors.forbidden(FieldPath.of('spec', 'paramKind'), why)
  }

  async function authorizeBinding(attributes: AdmissionAttributes, errors: FieldErrors): Promise<void> {
    const { object, oldObject, user, groupResource } = attributes
    const { paramRef, policyName = '' } = specOf(object)
    const old = specOf(oldObject)
    if (paramRef === undefined || (same(paramRef, old.paramRef) && policyName === old.policyName)) return
    const policy = await find('admissionregistration.<domain>', policies.get(groupResource.resource) ?? '', '', policyName, attributes)
    const { paramKind } = specOf(policy)
    const resource = paramKind ? resourcesOf(paramKind) : any
    const verb = paramRef.name ? 'get' : 'list'
    if (await may(attributes, verb, resource, paramRef.name ?? '', paramRef.namespace ?? '')) return
    const at = FieldPath.of('spec', 'paramRef')
    const everything = `does not have "${verb}" permission for all groups, versions and resources`
    const unclear = (what: string) => `unable to ${what} to determine minimum required permissions and user ${shown(user)} ${everything}`
    if (policy === undefined) errors.forbidden(at, unclear(`get policy ${policyName}`))
    else if (paramKind && resource.resource === '*')
      errors.forbidden(at, unclear(`resolve paramKind &{${paramKind.apiVersion} ${paramKind.kind}}`))
    else errors.forbidden(at, `user ${shown(user)} does not have "${verb}" permission on the object referenced by paramRef`)
  }

  return {
    name: 'PolicyParameters',
    operations: ['CREATE', 'UPDATE'],
    resources: [...policies.keys(), ...policies.values()].map((resource) => ({ group, resource })),
    async validate(attributes) {
      const { groupResource, subresource, kind, name, object, user } = attributes
      if (groupResource.group !== group || subresource !== '' || user.groups.includes(privileged)) return
      const errors = new FieldErrors()
      if (policies.has(groupResource.resource)) await authorizeBinding(attributes, errors)
      else await authorizePolicy(attributes, errors)
      if (errors.count > 0) throw invalid({ group, kind: kind.kind }, object?.metadata.name ?? name, errors.list)
    },
  }
}

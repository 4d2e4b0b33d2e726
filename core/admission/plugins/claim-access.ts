/**
 * Extra authorization for resource claims: administrative access needs a label on the namespace (KEP-5018), and parts of a claim's status
 * need permissions of their own (KEP-4817, granular status authorization).
 */

import type { Authorizer } from '../../access/authz/authorizer.ts'
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { ResourceClaimStatus } from '../../resources/resource/resourceclaim.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Enabled } from '../../schema/gated.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'

interface Requests {
  readonly devices?: {
    readonly requests?: readonly { readonly adminAccess?: boolean; readonly exactly?: { readonly adminAccess?: boolean } }[]
  }
}

type Status = Infer<typeof ResourceClaimStatus>

const adminLabel = 'resource.<labels>/admin-access'
const nodeOfToken = 'authentication.<labels>/node-name'

const statusOf = (object: ApiObject | undefined) => (object?.['status'] ?? {}) as Status
const resultsOf = ({ allocation }: Status) => allocation?.devices?.results ?? []

/** Path of the first new request or allocation result with administrative access. */
function adminAccess({ subresource, object, oldObject, groupResource }: AdmissionAttributes): FieldPath | undefined {
  if (subresource === 'status') {
    if (resultsOf(statusOf(oldObject)).some((result) => result.adminAccess)) return undefined
    const index = resultsOf(statusOf(object)).findIndex((result) => result.adminAccess)
    const at = FieldPath.of('status', 'allocation', 'devices', 'results')
    return index < 0 ? undefined : at.index(index).child('adminAccess')
  }
  // The spec is immutable.
  if (oldObject !== undefined) return undefined
  const own = (object?.['spec'] ?? {}) as Requests & { readonly spec?: Requests }
  const { devices } = groupResource.resource === 'resourceclaimtemplates' ? (own.spec ?? {}) : own
  const index = (devices?.requests ?? []).findIndex((each) => each.exactly?.adminAccess ?? each.adminAccess)
  return index < 0 ? undefined : FieldPath.of('spec', 'devices', 'requests').index(index).child('adminAccess')
}

/** The node of a node-local allocation; undefined for others. */
function nodeOf({ allocation }: Status): string | undefined {
  const [term, ...others] = allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const [field, ...more] = term?.matchFields ?? []
  const isOne = others.length === 0 && more.length === 0 && field?.key === 'metadata.name' && field.values?.length === 1
  return isOne ? field.values?.[0] : undefined
}

/** Drivers whose device status differs. */
function changedDrivers(status: Status, old: Status): string[] {
  const reports = ({ devices = [] }: Status, driver: string) => devices.filter((each) => each.driver === driver) as unknown as Json
  const drivers = new Set([...(status.devices ?? []), ...(old.devices ?? [])].map(({ driver }) => driver))
  return [...drivers].filter((driver) => !equal(reports(status, driver), reports(old, driver)))
}

export function claimAccess(platform: Platform, { find }: Lookup, authorizer: Authorizer, enabled: Enabled): AdmissionPlugin {
  const group = platform.name('resource.<domain>')
  const label = platform.name(adminLabel)
  const nodeKey = platform.name(nodeOfToken)

  async function may(attributes: AdmissionAttributes, verb: string, subresource: string, name: string): Promise<boolean> {
    const { user, namespace, resource } = attributes
    const asked = { user, verb, isResource: true, path: '', ...resource, subresource, name, namespace }
    return (await authorizer.authorize(asked, attributes)).verdict === 'allow'
  }

  async function authorizeAdminAccess(attributes: AdmissionAttributes, errors: FieldErrors): Promise<void> {
    const at = adminAccess(attributes)
    if (at === undefined) return
    const namespace = await find('', 'namespaces', '', attributes.namespace, attributes)
    if (namespace?.metadata.labels?.[label] === 'true') return
    errors.forbidden(at, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)
  }

  async function authorizeStatus(attributes: AdmissionAttributes, errors: FieldErrors): Promise<void> {
    const { verb = 'update', name, user } = attributes
    const [status, old] = [statusOf(attributes.object), statusOf(attributes.oldObject)]
    const parts = (['allocation', 'reservedFor'] as const).filter(
      (part) => !equal((status[part] ?? null) as Json, (old[part] ?? null) as Json),
    )
    if (parts.length > 0 && !(await may(attributes, verb, 'binding', name))) {
      for (const part of parts) errors.forbidden(FieldPath.of('status', part), `changes need the verb "${verb}" on resourceclaims/binding`)
    }
    const node = nodeOf(status) ?? nodeOf(old)
    const isThere = node !== undefined && user.extra?.[nodeKey]?.[0] === node
    for (const driver of changedDrivers(status, old)) {
      if (isThere && (await may(attributes, `associated-node:${verb}`, 'driver', driver))) continue
      if (await may(attributes, `arbitrary-node:${verb}`, 'driver', driver)) continue
      const verbs = `"arbitrary-node:${verb}", or on the node of the claim "associated-node:${verb}",`
      errors.forbidden(
        FieldPath.of('status', 'devices'),
        `changes need the verb ${verbs} on resourceclaims/driver for ${JSON.stringify(driver)}`,
      )
    }
  }

  return {
    name: 'ResourceClaimAccess',
    operations: ['CREATE', 'UPDATE'],
    resources: ['resourceclaims', 'resourceclaimtemplates'].map((resource) => ({ group, resource })),
    async findErrors(attributes) {
      const errors = new FieldErrors()
      if (enabled('DRAAdminAccess')) await authorizeAdminAccess(attributes, errors)
      const isStatus = attributes.subresource === 'status'
      if (isStatus && enabled('DRAResourceClaimGranularStatusAuthorization')) await authorizeStatus(attributes, errors)
      return errors
    },
  }
}

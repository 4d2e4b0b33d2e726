/** NodeRestriction for token requests: a node may request tokens for pods that run on it, with audiences that these use (KEP-4412). */

import type { Pod } from '../../access/authz/node-pod.ts'
import { aggregate } from '../../access/authz/rules.ts'
import type { TokenRequestSpec } from '../../resources/authentication/tokenrequest.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import { nodeNameOf, podNamed } from './node-restriction-pods.ts'
import type { NodeCheck, NodeWrite } from './node-write.ts'

type TokenSpec = Infer<typeof TokenRequestSpec>

/** CSI drivers that replace in-tree volume sources. */
const successors: { readonly [source: string]: string } = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  cinder: 'cinder.csi.openstack.org',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  portworxVolume: 'pxd.portworx.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
}

type Source = { readonly [source: string]: unknown }
type Volume = NonNullable<NonNullable<NonNullable<Pod['spec']>['volumes']>[number]>

/** The CSI driver of a volume or persistent volume; undefined: none, so no token is needed. */
function driverOf(source: Source): string | undefined {
  const { driver } = (source['csi'] ?? {}) as { driver?: string }
  const [old] = Object.keys(source).filter((name) => source[name] && Object.hasOwn(successors, name))
  return driver || (old && successors[old])
}

/** Throws an Error when the object does not exist. */
async function existing({ find, attributes }: NodeWrite, group: string, plural: string, kind: string, namespace: string, name: string) {
  const object = await find(group, plural, namespace, name, attributes)
  if (object === undefined) throw new Error(`${kind} ${JSON.stringify(name)} not found`)
  return object
}

async function driverOfVolume(write: NodeWrite, pod: ApiObject, volume: Volume): Promise<string | undefined> {
  const claim = volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : volume.persistentVolumeClaim?.claimName
  if (claim === undefined) return driverOf(volume)
  const { spec } = await existing(write, '', 'persistentvolumeclaims', 'persistentvolumeclaim', write.attributes.namespace, claim)
  const { volumeName = '' } = (spec ?? {}) as { volumeName?: string }
  if (volumeName === '') return undefined
  const persistent = await existing(write, '', 'persistentvolumes', 'persistentvolume', '', volumeName)
  return driverOf((persistent['spec'] ?? {}) as Source)
}

async function usesAudience(write: NodeWrite, pod: ApiObject, volume: Volume, audience: string): Promise<boolean> {
  const projected = (volume.projected?.sources ?? []) as readonly { serviceAccountToken?: { audience?: string } | null }[]
  if (projected.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience)) return true
  const driver = await driverOfVolume(write, pod, volume)
  if (driver === undefined) return false
  const group = 'storage.<domain>'
  const { spec } = await existing(write, group, 'csidrivers', write.platform.name(`csidriver.${group}`), '', driver)
  const { tokenRequests } = (spec ?? {}) as { tokenRequests?: readonly { audience: string }[] | null }
  return (tokenRequests ?? []).some((each) => each.audience === audience)
}

async function checkAudience(write: NodeWrite, pod: ApiObject, audiences: readonly string[]): Promise<void> {
  const { attributes, authorizer, refuse } = write
  if (audiences.length > 1) throw refuse('node may only request 0 or 1 audiences')
  const audience = audiences[0] ?? ''
  const errors: string[] = []
  for (const volume of (pod as Pod).spec?.volumes ?? []) {
    try {
      if (await usesAudience(write, pod, volume, audience)) return
    } catch (error) {
      errors.push((error as Error).message)
    }
  }
  if (errors.length > 0) throw refuse(`error validating audience ${JSON.stringify(audience)}: ${aggregate(errors)}`)
  const { user, namespace, name } = attributes
  const verb = 'request-serviceaccounts-token-audience'
  const asked = { user, verb, isResource: true, path: '', group: '', version: 'v1', resource: audience, subresource: '', name, namespace }
  if ((await authorizer.authorize(asked, attributes)).verdict === 'allow') return
  throw refuse(
    `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
  )
}

export const checkServiceAccount: NodeCheck = async (write) => {
  const { attributes, node, refuse, enabled } = write
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return
  const { boundObjectRef: bound, audiences } = (attributes.object?.['spec'] ?? {}) as TokenSpec
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name) throw refuse('node requested token not bound to a pod')
  if (!bound.uid) throw refuse('node requested token with a pod binding without a uid')
  const pod = await podNamed(write, bound.name)
  if (bound.uid !== pod.metadata.uid)
    throw refuse(
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  if (nodeNameOf(pod) !== node) throw refuse('node requested token bound to a pod scheduled on a different node')
  if (enabled('ServiceAccountNodeAudienceRestriction')) await checkAudience(write, pod, audiences ?? [])
}

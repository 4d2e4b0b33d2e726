/** Claims can only be expanded when bound, and when their storage class allows it (plugin/pkg/admission/storage/persistentvolume/resize). */

import { forbidden } from '../../answers/status.ts'
import type { Context } from '../../ports.ts'
import type { PersistentVolumeClaim } from '../../resources/core/persistentvolumeclaim.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { compareQuantities, parseQuantity } from '../../schema/formats/quantity.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout } from './about.ts'

type Claim = ApiObject & Infer<typeof PersistentVolumeClaim>

const sizeOf = ({ spec }: Claim) => parseQuantity(spec?.resources?.requests?.storage ?? '0')

export function persistentVolumeClaimResize({ platform, find }: PluginContext): AdmissionPlugin {
  const older = platform.name('volume.beta.<labels>/storage-class')
  const classOf = ({ metadata, spec }: Claim) => metadata.annotations?.[older] ?? spec?.storageClassName ?? ''

  async function mayGrow(claim: Claim, old: Claim, context: Context): Promise<boolean> {
    const name = classOf(claim)
    if (name === '' || name !== classOf(old)) return false
    return (await find('storage.<domain>', 'storageclasses', '', name, context))?.['allowVolumeExpansion'] === true
  }

  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    resources: [{ group: '', resource: 'persistentvolumeclaims' }],
    async validate(attributes) {
      const { groupResource, name } = attributes
      const [claim, old] = [attributes.object, attributes.oldObject] as (Claim | undefined)[]
      if (!isAbout(attributes, 'persistentvolumeclaims') || claim === undefined || old === undefined) return
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return
      if (old.status?.phase !== 'Bound') throw forbidden(groupResource, name, 'Only bound persistent volume claims can be expanded')
      if (!(await mayGrow(claim, old, attributes)))
        throw forbidden(
          groupResource,
          name,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        )
    },
  }
}

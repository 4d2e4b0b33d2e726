import type { Platform } from '../../platform.ts'
import type { PersistentVolumeClaim } from '../../resources/core/persistentvolumeclaim.ts'
import { greater } from '../../resources/core/quantities.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer } from '../../schema/model.ts'
import type { Amounts } from './amounts.ts'
import { countName, type Evaluator } from './evaluator.ts'
import { satisfies } from './quota.ts'

type Claim = Infer<typeof PersistentVolumeClaim>

const count = countName({ group: '', resource: 'persistentvolumeclaims' })
const names = ['persistentvolumeclaims', 'requests.storage']

/** Rounds to whole bytes, as quotas store them. */
const rounded = (amount: string) =>
  /[mun]$/.test(amount) || amount.includes('.') ? String(scaledQuantity(parseQuantity(amount), 0)) : amount

function storageOf({ spec, status }: Claim): string | undefined {
  const requested = spec?.resources?.requests?.['storage']
  const allocated = status?.allocatedResources?.['storage']
  if (requested === undefined) return undefined
  return rounded(allocated === undefined ? requested : greater(requested, allocated))
}

/** Volume attributes classes in use: requested, current and target. */
function attributesClasses({ spec, status }: Claim): readonly string[] {
  const all = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
  return [...new Set(all.flatMap((name) => (name ? [name] : [])))].sort()
}

export function volumeClaimEvaluator(platform: Platform): Evaluator {
  const byClass = platform.name('.storageclass.storage.<domain>/')
  const annotation = platform.name('volume.beta.<labels>/storage-class')
  return {
    handles({ operation, subresource, object, oldObject }) {
      if (subresource === '') return operation === 'CREATE' || operation === 'UPDATE'
      if (subresource !== 'status' || object === undefined || oldObject === undefined) return false
      const [now, before] = [object as Claim, oldObject as Claim]
      const allocated = ({ status }: Claim) => status?.allocatedResources?.['storage'] ?? null
      return allocated(now) !== allocated(before) || !equal([...attributesClasses(now)], [...attributesClasses(before)])
    },
    counts: (name) => name === count || names.some((each) => name === each || name.endsWith(byClass + each)),
    usage(object: ApiObject): Amounts {
      const claim = object as Claim
      const storageClass = object.metadata.annotations?.[annotation] ?? claim.spec?.storageClassName ?? ''
      const storage = storageOf(claim)
      const common: Amounts = { persistentvolumeclaims: '1', ...(storage !== undefined && { 'requests.storage': storage }) }
      const ofClass = storageClass === '' ? [] : Object.entries(common).map(([name, amount]) => [storageClass + byClass + name, amount])
      return { [count]: '1', ...common, ...Object.fromEntries(ofClass) }
    },
    inScope(scope, object) {
      if (scope.scopeName !== 'VolumeAttributesClass') return false
      const classes = attributesClasses(object as Claim)
      return classes.length === 0 ? satisfies(scope, undefined) : classes.some((name) => satisfies(scope, name))
    },
  }
}

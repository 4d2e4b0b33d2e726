/** Validation of priority levels. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { inRange } from '../../schema/formats.ts'
import type { Infer } from '../../schema/model.ts'
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from './prioritylevelconfiguration.ts'

const maxQueues = 10_000_000
/** Bits of the hash that selects a flow's queues (shuffle sharding). */
const hashBits = 60

export function validateLevel(
  { type, limited, exempt }: Infer<typeof PriorityLevelConfigurationSpec>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (type === 'Exempt') {
    if (limited) errors.forbidden(path.child('limited'), 'must be nil if the type is not Limited')
  } else if (type === 'Limited') {
    if (exempt) errors.forbidden(path.child('exempt'), 'must be nil if the type is Limited')
    if (!limited) errors.required(path.child('limited'), 'must not be empty when type is Limited')
  } else errors.notSupported(path.child('type'), type, ['Exempt', 'Limited'])
}

type Limited = Infer<typeof LimitedPriorityLevelConfiguration>

export function validateShares(
  limited: Pick<Limited, 'nominalConcurrencyShares' | 'lendablePercent'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { nominalConcurrencyShares: shares = 0, lendablePercent: lendable = 0 } = limited
  if (shares < 0) errors.invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')
  for (const problem of inRange(lendable, 0, 100)) errors.invalid(path.child('lendablePercent'), lendable, problem)
}

export function validateLimited(limited: Limited, path: FieldPath, errors: FieldErrors): void {
  validateShares(limited, path, errors)
  const borrowing = limited.borrowingLimitPercent ?? 0
  if (borrowing < 0) errors.invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')
}

export function validateResponse({ type, queuing }: Infer<typeof LimitResponse>, path: FieldPath, errors: FieldErrors): void {
  if (type === 'Reject') {
    if (queuing) errors.forbidden(path.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited')
  } else if (type === 'Queue') {
    if (!queuing) errors.required(path.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited')
  } else errors.notSupported(path.child('type'), type, ['Queue', 'Reject'])
}

export function validateQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: Infer<typeof QueuingConfiguration>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (queueLengthLimit <= 0) errors.invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive')
  if (queues <= 0) errors.invalid(path.child('queues'), queues, 'must be positive')
  else if (queues > maxQueues) errors.invalid(path.child('queues'), queues, `must not be greater than ${maxQueues}`)
  const at = path.child('handSize')
  if (handSize <= 0) errors.invalid(at, handSize, 'must be positive')
  else if (handSize > queues) errors.invalid(at, handSize, `should not be greater than queues (${queues})`)
  else if (entropyBits(queues, handSize) > hashBits) {
    errors.invalid(
      at,
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${hashBits}`,
    )
  }
}

/** Entropy in bits of choosing this many distinct queues. */
function entropyBits(queues: number, handSize: number): number {
  let bits = 0
  for (let dealt = 0; dealt < handSize && bits <= hashBits; dealt++) bits += Math.log2(queues - dealt)
  return Math.ceil(bits)
}

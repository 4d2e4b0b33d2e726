/** Validation of priority levels. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { inRange } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from './prioritylevelconfiguration.ts'

const maxQueues = 10_000_000
/** Bits of the hash that selects a flow's queues (shuffle sharding). */
const hashBits = 60

/** Validates a spec with all its parts, in the reference's order. `name`: that of the level. */
export function validateLevel(
  name: string,
  { type, limited, exempt }: Infer<typeof PriorityLevelConfigurationSpec>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.invalid(path.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'")
  }
  if (type === 'Exempt') {
    if (limited) errors.forbidden(path.child('limited'), 'must be nil if the type is not Limited')
    if (exempt) validateExempt(exempt, path.child('exempt'), errors)
  } else if (type === 'Limited') {
    if (exempt) errors.forbidden(path.child('exempt'), 'must be nil if the type is Limited')
    if (limited) validateLimited(limited, path.child('limited'), errors)
    else errors.required(path.child('limited'), 'must not be empty when type is Limited')
  } else errors.notSupported(path.child('type'), type, ['Exempt', 'Limited'])
}

function validateShares(shares: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (shares !== undefined && shares < 0) errors.invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')
}

function validateLending(percent: number | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const problem of inRange(percent ?? 0, 0, 100)) errors.invalid(path.child('lendablePercent'), percent, problem)
}

function validateExempt(exempt: Infer<typeof ExemptPriorityLevelConfiguration>, path: FieldPath, errors: FieldErrors): void {
  validateShares(exempt.nominalConcurrencyShares, path, errors)
  validateLending(exempt.lendablePercent, path, errors)
}

function validateLimited(limited: Infer<typeof LimitedPriorityLevelConfiguration>, path: FieldPath, errors: FieldErrors): void {
  validateShares(limited.nominalConcurrencyShares, path, errors)
  validateResponse(limited.limitResponse ?? { type: '' }, path.child('limitResponse'), errors)
  validateLending(limited.lendablePercent, path, errors)
  const borrowing = limited.borrowingLimitPercent ?? 0
  if (borrowing < 0) errors.invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')
}

function validateResponse({ type, queuing }: Infer<typeof LimitResponse>, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('queuing')
  if (type === 'Reject') {
    if (queuing) errors.forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')
  } else if (type === 'Queue') {
    if (queuing) validateQueuing(queuing, at, errors)
    else errors.required(at, 'must not be empty if limited.limitResponse.type is Limited')
  } else errors.notSupported(path.child('type'), type, ['Queue', 'Reject'])
}

function validateQueuing(
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

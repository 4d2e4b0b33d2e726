/** Subresources of certificate signing requests: `/approval` decides, `/status` issues (KEP-1513). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formatTime } from '../../schema/formats/time.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { SubresourceStrategy } from '../definition.ts'
import type { CertificateSigningRequestCondition, CertificateSigningRequestStatus } from './certificatesigningrequest.ts'
import { certificateFault } from './issued-certificate.ts'

type Condition = Infer<typeof CertificateSigningRequestCondition>

type Status = Infer<typeof CertificateSigningRequestStatus>

type Request = { metadata?: unknown; status?: unknown }

const statusOf = (request: Request) => (request.status ?? {}) as Status
const conditionsOf = (request: Request) => statusOf(request).conditions ?? []
const ofType = (request: Request, type: string) => conditionsOf(request).filter((condition) => condition.type === type)
const decisions = ['Approved', 'Denied']
const finals = [...decisions, 'Failed']
const path = FieldPath.of('status', 'conditions')
const certificatePath = FieldPath.of('status', 'certificate')

/** Sets missing times of conditions. */
function stamped(conditions: readonly Condition[], old: readonly Condition[], now: number): Condition[] {
  const present = formatTime({ seconds: Math.floor(now / 1000), nanos: 0 }, 'time') ?? ''
  const identity = ({ type, status }: Condition) => JSON.stringify([type, status])
  const times = new Map<string, string>()
  for (const each of old) if (each.lastTransitionTime && !times.has(identity(each))) times.set(identity(each), each.lastTransitionTime)
  return conditions.map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? present,
    lastTransitionTime: condition.lastTransitionTime ?? times.get(identity(condition)) ?? present,
  }))
}

function validateConditions(request: Request, old: Request, errors: FieldErrors): void {
  const conditions = conditionsOf(request)
  const decidedBoth = decisions.every((type) => ofType(old, type).length > 0)
  const types = conditionsOf(old).map(({ type }) => type)
  const hadDuplicates = new Set(types).size < types.length
  const before = new Set<string>()
  for (const [index, { type, status }] of conditions.entries()) {
    const at = path.index(index)
    if (!type) errors.required(at.child('type'))
    const allowed = finals.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (!status) errors.required(at.child('status'))
    else if (!allowed.includes(status)) errors.notSupported(at.child('status'), status, allowed)
    const opposite = decisions.some((other) => other !== type && before.has(other))
    if (decisions.includes(type) && opposite && !decidedBoth)
      errors.invalid(at.child('type'), type, 'Approved and Denied conditions are mutually exclusive')
    if (!hadDuplicates && before.has(type)) errors.duplicate(at.child('type'), type)
    before.add(type)
  }
}

function validateNoneRemoved(request: Request, old: Request, errors: FieldErrors): void {
  for (const type of finals)
    if (ofType(request, type).length < ofType(old, type).length)
      errors.forbidden(path, `updates may not remove a condition of type ${JSON.stringify(type)}`)
}

function validateDecisionsKept(request: Request, old: Request, errors: FieldErrors): void {
  for (const type of decisions) {
    const [now, then] = [ofType(request, type), ofType(old, type)]
    const verb = now.length > then.length ? 'add' : now.length === then.length && !equal(now as Json, then as Json) ? 'modify' : undefined
    if (verb) errors.forbidden(path, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`)
  }
}

/** `/approval`: approves or denies, permanently. */
export const approval: SubresourceStrategy = {
  fullUpdate: true,
  reset: [['spec'], ['status', 'certificate']],
  write: (existing, incoming, { now }) => ({
    ...existing,
    metadata: incoming.metadata,
    status: { ...statusOf(existing), conditions: stamped(conditionsOf(incoming), conditionsOf(existing), now) },
  }),
  validate(request, old, errors) {
    validateConditions(request, old, errors)
    validateNoneRemoved(request, old, errors)
  },
}

/** `/status`: keeps the Approved and Denied conditions when their number is unchanged. */
export function prepareStatus(request: Request, old: Request, { now }: { readonly now: number }): void {
  const status = statusOf(request)
  if (status.conditions === undefined) return
  for (const type of decisions) {
    const kept = ofType(old, type)
    if (kept.length !== ofType(request, type).length) continue
    status.conditions = status.conditions.map((condition) => (condition.type === type ? (kept.shift() as Condition) : condition))
  }
  status.conditions = stamped(status.conditions, conditionsOf(old), now)
}

export function validateStatus(request: Request, old: Request, errors: FieldErrors): void {
  validateConditions(request, old, errors)
  const { certificate = '' } = statusOf(request)
  const fault = certificateFault(certificate)
  if (fault) errors.invalid(certificatePath, '<certificate data>', fault)
  validateNoneRemoved(request, old, errors)
  validateDecisionsKept(request, old, errors)
  const issued = statusOf(old).certificate
  if (issued && certificate !== issued) errors.forbidden(certificatePath, 'updates may not modify existing certificate content')
}

/** Rules for events of the core group, which are laxer for those without a time of their own. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { checkFormat } from '../checks.ts'
import type { Event as EventSchema } from './event.ts'

type Event = Infer<typeof EventSchema>

const limits = { reportingInstance: 128, action: 128, reason: 128 } as const
const longestMessage = 1024

export function checkEvent(event: Event, errors: FieldErrors, { platform }: HookContext): void {
  const namespace = event.metadata?.namespace ?? ''
  const about = event.involvedObject.namespace ?? ''
  const at = FieldPath.of('involvedObject', 'namespace')
  const timed = Boolean(event.eventTime)
  const home = timed ? ['default', platform.namespaces.system] : ['default', '']
  const matches = about === '' ? home.includes(namespace) : timed || about === namespace
  if (!matches) errors.invalid(at, about, 'does not match event.namespace')
  if (timed) checkTimed(event, errors)
  checkFormat(namespace, 'dns1123Subdomain', FieldPath.of('namespace'), errors)
}

function checkTimed(event: Event, errors: FieldErrors): void {
  const controller = FieldPath.of('reportingController')
  if (!event.reportingComponent) errors.required(controller)
  checkFormat(event.reportingComponent ?? '', 'qualifiedName', controller, errors)
  for (const [name, limit] of Object.entries(limits)) {
    const value = event[name as keyof typeof limits] ?? ''
    if (value === '') errors.required(FieldPath.of(name))
    if (value.length > limit) errors.invalid(FieldPath.of(name), '', `can have at most ${limit} characters`)
  }
  if ((event.message ?? '').length > longestMessage) {
    errors.invalid(FieldPath.of('message'), '', `can have at most ${longestMessage} characters`)
  }
}

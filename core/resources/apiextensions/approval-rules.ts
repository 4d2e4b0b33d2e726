/** Groups of the platform's own domains are for APIs that its community has approved (KEP 1111). */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext } from '../../schema/model.ts'
import type { Definition } from './definition-rules.ts'

const annotation = 'api-approved.<labels>'

type State = 'missing' | 'bypassed' | 'approved' | 'invalid'

function stateOf(text: string): State {
  if (text === '') return 'missing'
  if (text.startsWith('unapproved')) return 'bypassed'
  return URL.canParse(text) && new URL(text).host !== '' ? 'approved' : 'invalid'
}

export function checkApproval(definition: Definition, old: Definition | undefined, errors: FieldErrors, { platform }: HookContext): void {
  const { group } = definition.spec
  const domains = [platform.name('<domain>'), platform.name('<labels>')]
  if (!domains.some((domain) => group === domain || group.endsWith(`.${domain}`))) return
  const name = platform.name(annotation)
  const textOf = (each: Definition) => each.metadata?.annotations?.[name] ?? ''
  const state = stateOf(textOf(definition))
  if (old && stateOf(textOf(old)) === state) return
  const path = FieldPath.of('metadata', 'annotations').key(name)
  const start = `protected groups must have approval annotation ${JSON.stringify(name)}`
  if (state === 'missing') errors.required(path, start)
  if (state === 'invalid') errors.invalid(path, textOf(definition), `${start} with either a URL or a reason starting with "unapproved"`)
}

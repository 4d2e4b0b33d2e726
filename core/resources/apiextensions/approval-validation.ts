/** Groups in the platform's own domains are protected: their APIs need community approval (KEP-1111). */
import type { Platform } from '../../platform.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext } from '../../schema/model.ts'
import type { Definition } from './definition-validation.ts'

const annotation = 'api-approved.<labels>'

type State = 'missing' | 'bypassed' | 'approved' | 'invalid'

function stateOf(text: string): State {
  if (text === '') return 'missing'
  if (text.startsWith('unapproved')) return 'bypassed'
  return URL.canParse(text) && new URL(text).host !== '' ? 'approved' : 'invalid'
}

/** Whether a group is in one of the platform's own domains. */
export function isProtected(group: string, platform: Platform): boolean {
  const domains = [platform.name('<domain>'), platform.name('<labels>')]
  return domains.some((domain) => group === domain || group.endsWith(`.${domain}`))
}

export interface Approval {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

const neededAt = (name: string) => `protected groups must have approval annotation ${JSON.stringify(name)}`
const moreAbout = ({ title }: Platform) => `see https://github.com/${title.toLowerCase()}/enhancements/pull/1111`

/** Content of the approval condition for a definition in a protected group. */
export function approvalOf(annotations: { readonly [name: string]: string } | undefined, platform: Platform): Approval {
  const name = platform.name(annotation)
  const text = annotations?.[name] ?? ''
  const needed = neededAt(name)
  const more = moreAbout(platform)
  switch (stateOf(text)) {
    case 'missing':
      return { status: 'False', reason: 'MissingAnnotation', message: `${needed}, ${more}` }
    case 'bypassed':
      return { status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(text)}` }
    case 'approved':
      return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}` }
    case 'invalid':
      return {
        status: 'False',
        reason: 'InvalidAnnotation',
        message: `${needed} with either a URL or a reason starting with "unapproved", ${more}`,
      }
  }
}

export function validateApproval(
  definition: Definition,
  old: Definition | undefined,
  errors: FieldErrors,
  { platform }: HookContext,
): void {
  const { group } = definition.spec
  if (!isProtected(group, platform)) return
  const name = platform.name(annotation)
  const textOf = (each: Definition) => each.metadata?.annotations?.[name] ?? ''
  const state = stateOf(textOf(definition))
  if (old && stateOf(textOf(old)) === state) return
  const path = FieldPath.of('metadata', 'annotations').key(name)
  const needed = neededAt(name)
  const more = moreAbout(platform)
  if (state === 'missing') errors.required(path, `${needed}, ${more}`)
  if (state === 'invalid')
    errors.invalid(path, textOf(definition), `${needed} with either a URL or a reason starting with "unapproved", ${more}`)
}

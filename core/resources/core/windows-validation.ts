/** Validation of Windows options (naming conventions of Active Directory). */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateFormat } from '../validation.ts'
import type { WindowsSecurityContextOptions } from './security.ts'

const specLimit = 64 * 1024
const domainLimit = 256
const userLimit = 104
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsDomain = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
const refusedInUser = /["/\\:;|=,+*?<>@[\]]/
const isControl = (character: string) => character < ' ' || character === '\u007f'

/** Errors of a user name, with or without domain. */
function userProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if ([...name].some(isControl)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? parts[0] : undefined
  const problems: string[] = []
  if (domain !== undefined) {
    if (domain.length >= domainLimit) problems.push(`runAsUserName's Domain length must be under ${domainLimit} characters`)
    if (!netBios.test(domain) && !dnsDomain.test(domain)) {
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    }
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty")
  else if (user.length > userLimit) problems.push(`runAsUserName's User length must not be longer than ${userLimit} characters`)
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces")
  if (refusedInUser.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`)
  }
  return problems
}

export function validateWindowsOptions(
  options: Infer<typeof WindowsSecurityContextOptions> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (options === undefined) return
  const { gmsaCredentialSpec: spec, runAsUserName } = options
  validateFormat(options.gmsaCredentialSpecName, 'dns1123Subdomain', path.child('gmsaCredentialSpecName'), errors)
  const at = path.child('gmsaCredentialSpec')
  if (spec === '') errors.invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string')
  else if (spec !== undefined && spec.length > specLimit) errors.invalid(at, spec, 'gmsaCredentialSpec size must be under 64 KiB')
  if (runAsUserName === undefined) return
  for (const problem of userProblems(runAsUserName)) errors.invalid(path.child('runAsUserName'), runAsUserName, problem)
}

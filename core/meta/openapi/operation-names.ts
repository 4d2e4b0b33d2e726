import type { Platform } from '../../platform.ts'

/** Removes everything except letters and digits, and capitalizes the letter that follows. */
function camelCase(text: string, capitalize: boolean): string {
  let result = ''
  let upper = capitalize
  for (const letter of text) {
    if (/[\p{L}\d_]/u.test(letter)) {
      result += upper ? letter.toUpperCase() : letter
      upper = false
    } else upper = true
  }
  return result
}

export const title = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Operation ids and tags, as client generators expect them: `listRbacAuthorizationV1NamespacedRole`, `rbacAuthorization_v1`. */
export function operationNames(group: string, version: string, platform: Platform) {
  const suffix = `.${platform.domain}`
  const short = group === '' ? 'core' : group.endsWith(suffix) ? group.slice(0, -suffix.length) : group
  const infix = camelCase(short, true) + camelCase(version, true)
  return {
    id: (verb: string, rest: string) => `${verb}${infix}${rest}`,
    tag: version === '' ? camelCase(short, false) : `${camelCase(short, false)}_${camelCase(version, false)}`,
  }
}

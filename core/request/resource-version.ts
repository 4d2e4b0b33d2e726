import { badRequest, type GroupResource, invalid, unexpected } from '../respond/status.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'

const maxUint64 = 2n ** 64n - 1n

/** The revision of a resourceVersion (0: none or any), or an error text. */
function parse(text: string): number | string {
  if (text === '' || text === '0') return 0
  if (!/^[0-9]+$/.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`
  if (text.length > 19 && BigInt(text) > maxUint64) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`
  return Number(text)
}

function errorsOf(text: string, fault: string): FieldErrors {
  const errors = new FieldErrors()
  errors.invalid(FieldPath.of('resourceVersion'), text, fault)
  return errors
}

/**
 * The revision of a get's resourceVersion; 0 for none. Throws 500 without a reason, because the reference's watch cache returns an error that
 * is not a Status.
 */
export function parseGetVersion(text: string): number {
  const parsed = parse(text)
  if (typeof parsed === 'number') return parsed
  throw unexpected(`resourceVersion: ${errorsOf(text, parsed).list[0]?.message}`)
}

/** The revision of a list's resourceVersion; 0 for none. Throws BadRequest. */
export function parseListVersion(text: string): number {
  const parsed = parse(text)
  if (typeof parsed === 'number') return parsed
  throw badRequest(`invalid resource version: resourceVersion: ${errorsOf(text, parsed).list[0]?.message}`)
}

/** The revision of a watch's resourceVersion; 0 for none. Throws Invalid. */
export function parseWatchVersion(text: string, groupResource: GroupResource): number {
  const parsed = parse(text)
  if (typeof parsed === 'number') return parsed
  throw invalid({ group: groupResource.group, kind: groupResource.resource }, '', errorsOf(text, parsed).list)
}

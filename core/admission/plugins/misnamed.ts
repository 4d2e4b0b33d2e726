import { formats } from '../../schema/formats/formats.ts'

/** Why a name can't be looked up: the reference's client refuses names that are no part of a path. */
export function misnamed(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty'
  const problems = formats.pathSegment(name)
  return problems.length === 0 ? undefined : `invalid resource name ${JSON.stringify(name)}: [${problems.join(' ')}]`
}

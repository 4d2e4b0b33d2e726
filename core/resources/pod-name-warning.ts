import { formats } from '../schema/formats/formats.ts'

/**
 * Warning about names that are part of pod names and host names, but not DNS labels.
 * @param where what the name is used for
 */
export function podNameWarnings(name: string | undefined, where = 'Pod names and hostnames'): string[] {
  const problems = formats.dns1123Label(name ?? '')
  if (problems.length === 0) return []
  const advice = `this is used in ${where}, which can result in surprising behavior; a DNS label is recommended`
  return [`metadata.name: ${advice}: [${problems.join(' ')}]`]
}

import { formats } from '../schema/formats.ts'

/** Warns of a name that pods and their host names are made from and that is no DNS label. */
/** @param where what becomes of the name */
export function podNameWarnings(name: string | undefined, where = 'Pod names and hostnames'): string[] {
  const problems = formats.dns1123Label(name ?? '')
  if (problems.length === 0) return []
  const advice = `this is used in ${where}, which can result in surprising behavior; a DNS label is recommended`
  return [`metadata.name: ${advice}: [${problems.join(' ')}]`]
}

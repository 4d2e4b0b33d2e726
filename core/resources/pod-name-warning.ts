import { formats } from '../schema/formats.ts'

/** Warns of a name that pods and their host names are made from and that is no DNS label. */
export function podNameWarnings(name: string | undefined): string[] {
  const problems = formats.dns1123Label(name ?? '')
  if (problems.length === 0) return []
  const advice = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended'
  return [`metadata.name: ${advice}: [${problems.join(' ')}]`]
}

import { Reply } from '../answers/reply.ts'
import type { VersionInfo } from '../config/version.ts'
import { ownRelease, parseRelease, type Release } from '../release.ts'

/** The release that a server says it is. */
export const releaseOf = ({ major, minor }: Pick<VersionInfo, 'major' | 'minor'>): Release =>
  parseRelease(`${major}.${minor}`) ?? ownRelease

/** The release that it emulates; its own by default. */
export const emulatedRelease = ({ major, minor, emulationMajor = major, emulationMinor = minor }: VersionInfo): Release =>
  releaseOf({ major: emulationMajor, minor: emulationMinor })

/** In output order. */
export const versionFields = [
  'major',
  'minor',
  'emulationMajor',
  'emulationMinor',
  'minCompatibilityMajor',
  'minCompatibilityMinor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
] as const satisfies readonly (keyof VersionInfo)[]

/** `/version`: always indented JSON. */
export function versionResponse(info: VersionInfo): Response {
  return indentedJson(Object.fromEntries(versionFields.flatMap((key) => (info[key] === undefined ? [] : [[key, info[key]]]))))
}

/** JSON documents that are not API objects: indented by two spaces, without final line feed. */
export function indentedJson(value: unknown, status = 200): Response {
  return new Reply(JSON.stringify(value, undefined, 2), { status, headers: { 'Content-Type': 'application/json' } })
}

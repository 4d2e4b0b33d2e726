import { Reply } from '../respond/reply.ts'
/** What `/version` says (apimachinery version.Info). */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor?: string
  readonly emulationMinor?: string
  readonly minCompatibilityMajor?: string
  readonly minCompatibilityMinor?: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** In the order in which they are written. */
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

/** `/version`: always JSON, always indented. */
export function versionResponse(info: VersionInfo): Response {
  return indentedJson(Object.fromEntries(versionFields.flatMap((key) => (info[key] === undefined ? [] : [[key, info[key]]]))))
}

/** Documents that are not API objects are written with two spaces of indentation and no line feed at the end. */
export function indentedJson(value: unknown, status = 200): Response {
  return new Reply(JSON.stringify(value, undefined, 2), { status, headers: { 'Content-Type': 'application/json' } })
}

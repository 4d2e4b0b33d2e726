import { ownRelease, type Release, releaseBefore } from '../release.ts'

/** What `/version` reports (apimachinery version.Info). Without emulated and minimum release these are the server's own. */
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

/** Build and runtime information; all optional. */
export interface BuildInfo {
  readonly gitCommit?: string
  /** `clean` (default) or `dirty`. */
  readonly gitTreeState?: string
  /** RFC 3339. */
  readonly buildDate?: string
  /** Such as `node20.20.2`; reported in the field for the version of Go. */
  readonly runtime?: string
  /** Such as `linux/amd64`. */
  readonly platform?: string
}

const ownVersion = `v${ownRelease}.0`

const textsOf = (release: Release) => release.split('.') as [major: string, minor: string]

/**
 * `reported` replaces the release in `gitVersion` (flag `--version=vX.Y.Z`); major and minor are those of the emulated release, by default
 * our own.
 */
export function versionInfo(
  build: BuildInfo = {},
  reported = ownVersion,
  emulated: Release = ownRelease,
  minCompatibility: Release = releaseBefore(ownRelease),
): Required<VersionInfo> {
  const [major, minor] = textsOf(ownRelease)
  const [emulationMajor, emulationMinor] = textsOf(emulated)
  const [minCompatibilityMajor, minCompatibilityMinor] = textsOf(minCompatibility)
  return {
    major,
    minor,
    emulationMajor,
    emulationMinor,
    minCompatibilityMajor,
    minCompatibilityMinor,
    gitVersion: reported,
    gitCommit: build.gitCommit ?? '',
    gitTreeState: build.gitTreeState ?? 'clean',
    buildDate: build.buildDate ?? '1970-01-01T00:00:00Z',
    goVersion: build.runtime ?? 'unknown',
    compiler: 'tsc',
    platform: build.platform ?? 'unknown/unknown',
  }
}

/** Text of `--version` (`raw`: all fields), or undefined when the server is to start. */
export function versionText(flag: string | undefined, name: string, build?: BuildInfo): string | undefined {
  if (flag === 'true') return `${name} ${ownVersion}`
  return flag === 'raw' ? JSON.stringify(versionInfo(build), undefined, 2) : undefined
}

/** The version to report in /version: from `--version=vX.Y.Z`, or our own. */
export function reportedVersion(flag: string | undefined): string {
  return flag?.startsWith('v') ? flag : ownVersion
}

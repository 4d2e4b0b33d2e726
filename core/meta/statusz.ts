import type { VersionInfo } from '../config/version.ts'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import { timestamp } from '../schema/formats/time.ts'
import type { FixedRequest } from './fixed-request.ts'
import { createZPage } from './zpage.ts'

export interface StatuszOptions {
  readonly platform: Platform
  /** Whether CBOR is served. */
  readonly cbor?: boolean
  readonly clock: Clock
  readonly version: VersionInfo
  /** Non-resource paths of the server. */
  readonly paths: readonly string[]
}

/** Path prefixes that are not about the server's state. */
const others = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known'])

const firstElements = (paths: readonly string[]) =>
  [...new Set(paths.map((path) => `/${path.split('/', 2)[1]}`))].filter((path) => path !== '/' && !others.has(path)).sort()

/** Format of `date`: `Sun Nov 22 21:30:00 UTC 2026`. */
function dateText(time: number): string {
  const [day = '', date = '', month = '', year = '', clock = ''] = new Date(time).toUTCString().split(/,? /)
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${clock} UTC ${year}`
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
const durationText = (seconds: number) =>
  `${Math.floor(seconds / 3600)} hr ${twoDigits(Math.floor(seconds / 60) % 60)} min ${twoDigits(seconds % 60)} sec`

/** `/statusz` (KEP-4827): build and start time. Throws 406. */
export function createStatusz({ platform, cbor = false, clock, version, paths }: StatuszOptions): (request: FixedRequest) => Response {
  const started = clock.now()
  const began = clock.monotonic()
  // Without build metadata and suffixes: major, minor and patch.
  const [binary = ''] = version.gitVersion.replace(/^v/, '').split(/[-+]/, 1)
  const emulated = version.emulationMinor === undefined ? undefined : `${version.emulationMajor}.${version.emulationMinor}`
  const uptime = () => Math.floor((clock.monotonic() - began) / 1000)
  return createZPage(platform, cbor, {
    kind: 'Statusz',
    lines: () => [
      '',
      `Started: ${dateText(started)}`,
      `Up: ${durationText(uptime())}`,
      `Go version: ${version.goVersion}`,
      `Binary version: ${binary}`,
      emulated === undefined ? '' : `Emulation version: ${emulated}`,
      `Paths: ${firstElements(paths).join(' ')}`,
    ],
    fields: () => ({
      startTime: timestamp(started),
      uptimeSeconds: uptime(),
      goVersion: version.goVersion,
      binaryVersion: binary,
      ...(emulated !== undefined && { emulationVersion: emulated }),
      paths: firstElements(paths),
    }),
  })
}

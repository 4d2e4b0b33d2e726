import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import { covers, parseAccept } from '../request/accept.ts'
import { isPretty } from '../request/negotiate.ts'
import { encode } from '../respond/encode.ts'
import { Reply } from '../respond/reply.ts'
import { notAcceptable } from '../respond/status.ts'
import { timestamp } from '../schema/time.ts'
import type { FixedRequest } from './fixed-request.ts'
import type { VersionInfo } from './version.ts'

export interface StatuszOptions {
  readonly platform: Platform
  readonly clock: Clock
  readonly version: VersionInfo
  /** Non-resource paths of the server. */
  readonly paths: readonly string[]
}

/** Path prefixes that are not about the server's state. */
const others = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known'])
const versions = ['v1beta1', 'v1alpha1']
const deprecated = 'This version of the statusz endpoint is deprecated. Please use a newer version.'
const structured = [
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
] as const

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

/** `/statusz` (KEP-4827): build and start time, as text or as a structured kind. Throws 406. */
export function createStatusz({ platform, clock, version, paths }: StatuszOptions): (request: FixedRequest) => Response {
  const started = clock.now()
  const began = clock.monotonic()
  const component = `${platform.component}-apiserver`
  const group = platform.name('config.<domain>')
  const binary = `${version.major}.${version.minor}`
  const emulated = version.emulationMinor === undefined ? undefined : `${version.emulationMajor}.${version.emulationMinor}`
  const uptime = () => Math.floor((clock.monotonic() - began) / 1000)

  function text(): Response {
    const lines = [
      '',
      `${component} statusz`,
      'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.',
      '',
      `Started: ${dateText(started)}`,
      `Up: ${durationText(uptime())}`,
      `Go version: ${version.goVersion}`,
      `Binary version: ${binary}`,
      emulated === undefined ? '' : `Emulation version: ${emulated}`,
      `Paths: ${firstElements(paths).join(' ')}`,
      '',
    ]
    return new Reply(lines.join('\n'), { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
  }

  const statusz = (wanted: string) => ({
    kind: 'Statusz',
    apiVersion: `${group}/${wanted}`,
    metadata: { name: component },
    startTime: timestamp(started),
    uptimeSeconds: uptime(),
    goVersion: version.goVersion,
    binaryVersion: binary,
    ...(emulated !== undefined && { emulationVersion: emulated }),
    paths: firstElements(paths),
  })

  return ({ request, query }) => {
    for (const clause of parseAccept(request.headers.get('accept'))) {
      const { parameters } = clause
      const [kind, wanted = ''] = [parameters.get('as'), parameters.get('v')]
      if (kind === undefined) {
        if (covers(clause, 'text/plain')) return text()
        continue
      }
      const found = structured.find(([type]) => covers(clause, type))
      if (!found || kind !== 'Statusz' || parameters.get('g') !== group || !versions.includes(wanted)) continue
      const [type, format] = found
      const headers = { 'Content-Type': type, ...(wanted === 'v1alpha1' && { Warning: `299 - "${deprecated}"` }) }
      const bytes = encode(
        { value: statusz(wanted), schema: undefined },
        format,
        parameters.get('pretty') === '1' || isPretty(query, request.headers),
      )
      return new Reply(bytes as Uint8Array<ArrayBuffer>, { status: 200, headers })
    }
    throw notAcceptable(['application/json', 'application/yaml', 'text/plain'])
  }
}

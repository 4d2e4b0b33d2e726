/** Warnings about conflicting files in a volume: the same path twice, or a file where another path needs a directory. */
import type { Infer } from '../../schema/model.ts'
import type { Volume as VolumeSchema } from './volume.ts'
import type { VolumeProjection as VolumeProjectionSchema } from './volume-projected.ts'

type Volume = Infer<typeof VolumeSchema>
type VolumeProjection = Infer<typeof VolumeProjectionSchema>

interface WarnedField {
  readonly path: string
  /** Source within a projected volume. */
  readonly source: string
}

const quoted = (text: string | undefined) => JSON.stringify(text ?? '')
const shown = ({ path, source }: WarnedField) => (source ? `${quoted(path)} (${source})` : quoted(path))
const places = (items: readonly { readonly path: string }[] = [], source = ''): WarnedField[] => items.map(({ path }) => ({ path, source }))

/** Maximum files of a volume that are compared, because the cost grows with their square. */
const maxCompared = 256

function* overlaps(all: readonly WarnedField[]): Iterable<string> {
  const before: { readonly place: WarnedField; readonly start: string }[] = []
  for (const { path: given, source } of all.slice(0, maxCompared)) {
    const path = withoutSlashes(given)
    if (path === '') continue
    const place = { path, source }
    const start = `${path}/`
    for (const other of before) {
      if (start.startsWith(other.start) || other.start.startsWith(start)) yield `${shown(place)} with ${shown(other.place)}`
    }
    before.push({ place, start })
  }
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

const certificatePaths = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const

function placesOf(source: VolumeProjection): WarnedField[] {
  const { configMap, secret, downwardAPI, serviceAccountToken: token, clusterTrustBundle: bundle, podCertificate } = source
  if (configMap?.items) return places(configMap.items, `ConfigMap ${quoted(configMap.name)}`)
  if (secret?.items) return places(secret.items, `Secret ${quoted(secret.name)}`)
  if (downwardAPI?.items) return places(downwardAPI.items, 'DownwardAPI')
  if (token) return places([token], 'ServiceAccountToken')
  if (bundle) return places([bundle], `ClusterTrustBundle ${quoted(bundle.name ?? bundle.signerName)}`)
  return certificatePaths.flatMap(([name, source]) => (podCertificate?.[name] ? [{ path: podCertificate[name], source }] : []))
}

function* overlapWarnings(volume: string, what: string, all: readonly WarnedField[]): Iterable<string> {
  for (const overlap of overlaps(all)) yield `volume ${quoted(volume)} (${what}): overlapping paths: ${overlap}`
}

/** Whether a volume is made of files with paths. */
export const hasPaths = ({ configMap, secret, downwardAPI, projected }: Volume) =>
  (configMap ?? secret ?? downwardAPI ?? projected) !== undefined

export function* pathWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): Iterable<string> {
  if (configMap) yield* overlapWarnings(name, `ConfigMap ${quoted(configMap.name)}`, places(configMap.items))
  if (secret) yield* overlapWarnings(name, `Secret ${quoted(secret.secretName)}`, places(secret.items))
  if (downwardAPI) yield* overlapWarnings(name, 'DownwardAPI', places(downwardAPI.items))
  if (!projected) return
  const sources = projected.sources ?? []
  for (const source of sources) if (Object.keys(source).length === 0) yield `volume ${quoted(name)} (Projected) has no sources provided`
  yield* overlapWarnings(name, 'Projected', sources.flatMap(placesOf))
}

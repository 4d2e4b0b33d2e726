import { type GroupSource, mergeGroups, perRevision } from './group-source.ts'
import { indentedJson } from './version.ts'

/**
 * `/`: the sorted list of paths. Those of API groups are computed; `others` are the rest, such as
 * `/healthz` and `/version`. With status 404 it answers unknown paths, as in the reference server.
 */
export function createRoot(sources: readonly GroupSource[], others: readonly string[]): (status?: 200 | 404) => Response {
  const paths = perRevision(sources, () => {
    const own = mergeGroups(sources).flatMap(({ name, versions }) => [
      ...(name === '' ? [] : [`/apis/${name}`]),
      ...versions.map(({ path }) => path),
    ])
    return { paths: [...new Set(['/api', '/apis', '/apis/', ...own, ...others])].sort() }
  })
  return (status = 200) => indentedJson(paths(), status)
}

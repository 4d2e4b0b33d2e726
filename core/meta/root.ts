import type { Platform } from '../platform.ts'
import { type DefinitionSource, groupServed, perRevision } from './served.ts'
import { indentedJson } from './version.ts'

/**
 * `/`: the paths that the server knows, sorted. Those of the API groups come from what is served; `others` are the rest, such as
 * `/healthz` and `/version`. Status 404 is for paths that do not exist, which the reference server answers with the same list.
 */
export function createRoot(served: DefinitionSource, platform: Platform, others: readonly string[]): (status?: 200 | 404) => Response {
  const paths = perRevision(served, (definitions) => {
    const groups = groupServed(definitions, platform)
    const own = groups.flatMap(({ name, versions }) => [...(name === '' ? [] : [`/apis/${name}`]), ...versions.map(({ path }) => path)])
    return { paths: [...new Set(['/api', '/apis', '/apis/', ...own, ...others])].sort() }
  })
  return (status = 200) => indentedJson(paths(), status)
}

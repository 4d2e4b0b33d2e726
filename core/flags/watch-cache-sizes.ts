/** Items of `--watch-cache-sizes`, such as `deployments.apps#0`. */
import type { GroupResource } from '../answers/status.ts'

/** Error of an item; undefined: valid. */
export function watchCacheSizeProblem(item: string): string | undefined {
  const [resource = '', size, ...rest] = item.split('#')
  if (size === undefined || rest.length > 0 || !/^[a-z\d][a-z\d.-]*$/.test(resource)) return 'must be resource[.group]#size'
  if (/^-\d+$/.test(size)) return 'size must not be negative'
  return /^\d+$/.test(size) ? undefined : 'size must be a number'
}

/** Resources with size 0 in the last item, which are read directly from the store. */
export function uncachedResources(items: readonly string[]): readonly GroupResource[] {
  const sizes = new Map(items.map((item) => item.split('#') as [resource: string, size: string]))
  return [...sizes].flatMap(([text, size]) => {
    const [resource = '', ...group] = text.split('.')
    return Number(size) === 0 ? [{ group: group.join('.'), resource }] : []
  })
}

import type { ApiObject, Path } from './definition.ts'

function valueAt(object: ApiObject, path: Path): unknown {
  let value: unknown = object
  for (const name of path.slice(1).split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** Field selector value of a boolean: `false` when unset. */
export function flagAt(path: Path): (object: ApiObject) => string {
  return (object) => (valueAt(object, path) === true ? 'true' : 'false')
}

/** Field selector value of a number: `0` when unset. */
export function countAt(path: Path): (object: ApiObject) => string {
  return (object) => String(valueAt(object, path) ?? 0)
}

/** Field selector value of the first non-empty path. */
export function firstOf(...paths: readonly Path[]): (object: ApiObject) => string {
  return (object) => {
    for (const path of paths) {
      const value = valueAt(object, path)
      if (typeof value === 'string' && value !== '') return value
    }
    return ''
  }
}

import type { Json } from './model.ts'

/** The value at a path of names such as `.spec.nodeName`; undefined when any part is missing. */
export function getPath(object: unknown, path: string): Json | undefined {
  let value: unknown = object
  for (const name of path.split('.')) {
    if (name === '') continue
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as { [key: string]: unknown })[name]
  }
  return value as Json | undefined
}

/** Sets the value at a path, in place; missing parents are created. */
export function setPath(object: { [key: string]: unknown }, path: string, value: unknown): void {
  const names = path.split('.').filter((name) => name !== '')
  const last = names.pop()!
  let parent = object
  for (const name of names) {
    const child = Object.hasOwn(parent, name) ? parent[name] : undefined
    if (typeof child !== 'object' || child === null) parent[name] = {}
    parent = parent[name] as { [key: string]: unknown }
  }
  parent[last] = value
}

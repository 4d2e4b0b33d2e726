/** Paths as Go's net/url and path packages write them. */

/** Resolves empty, `.` and `..` segments. The result starts with a slash, and keeps a slash at the end. Empty for an empty path. */
export function cleanPath(path: string): string {
  if (path === '') return ''
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const clean = `/${kept.join('/')}`
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean
}

/** Escapes a decoded path as `EscapedPath` does. */
export const escapePath = (path: string): string =>
  encodeURI(path).replace(/[?#!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

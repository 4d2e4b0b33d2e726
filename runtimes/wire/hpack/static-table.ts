/** The static table (RFC 7541, appendix A): a name per line, some with a value after a space. Indexes start at 1. */
const entries = `
:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|:status 206|:status 304|
:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|accept-ranges|accept|
access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|content-length|
content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|
if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|
set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`

/** A header: name and value. */
export type Field = readonly [name: string, value: string]

export const staticTable: readonly Field[] = entries
  .replaceAll('\n', '')
  .split('|')
  .map((entry) => {
    const space = entry.indexOf(' ')
    return space === -1 ? [entry, ''] : [entry.slice(0, space), entry.slice(space + 1)]
  })

const firstOf = (keys: readonly string[]) => new Map(keys.map((key, at) => [key, at + 1] as const).toReversed())
const names = firstOf(staticTable.map(([name]) => name))
/** By name: few have values, so that most fields need no second look, nor a text to look for. */
const valued = new Map<string, Map<string, number>>()
for (const [at, [name, value]] of staticTable.entries())
  if (value !== '') valued.set(name, (valued.get(name) ?? new Map<string, number>()).set(value, at + 1))

/** Index of the first entry with the name; 0: none. */
export const staticNameIndex = (name: string): number => names.get(name) ?? 0

/** Index of the entry; 0: none. */
export const staticFieldIndex = (name: string, value: string): number => valued.get(name)?.get(value) ?? 0

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const forbiddenInValue = /[\0\r\n]/

/**
 * Headers with one value: of several lines the first counts, as where the reference reads them (Go's `Header.Get`). Those of others are lists, and
 * are joined.
 */
const single = new Set([
  'accept',
  'accept-encoding',
  'audit-id',
  'authorization',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'impersonate-uid',
  'impersonate-user',
  'origin',
  'range',
  'traceparent',
  'user-agent',
  'x-real-ip',
])

/** Up to this many fields, insertion sort is faster. */
const fewFields = 32

function fieldName(name: string): string {
  if (!token.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`)
  return name.toLowerCase()
}

/** As `fieldName`, with a fast path for names of lower-case letters, digits and hyphens. */
function keyOf(name: string): string {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if ((code < 0x61 || code > 0x7a) && code !== 0x2d && (code < 0x30 || code > 0x39)) return fieldName(name)
  }
  return name === '' ? fieldName(name) : name
}

function fieldValue(value: string): string {
  const text = String(value).trim()
  if (forbiddenInValue.test(text)) throw new TypeError(`Invalid header value: ${JSON.stringify(text)}`)
  return text
}

type Accepts = (name: string) => boolean

/** Whether there is a header with a name, in lower case, that is accepted. Cheaper than `keys`, which sorts. */
export function hasHeader(headers: Headers, accepts: Accepts): boolean {
  if (headers instanceof LightHeaders) return headers.some(accepts)
  for (const name of headers.keys()) if (accepts(name)) return true
  return false
}

/** Deletes the headers with names, in lower case, that are accepted. */
export function deleteHeaders(headers: Headers, accepts: Accepts): void {
  if (headers instanceof LightHeaders) headers.deleteAll(accepts)
  else for (const name of [...headers.keys()]) if (accepts(name)) headers.delete(name)
}

/**
 * Implements the Headers interface over a flat list of names and values, the form of parsers and listeners. About ten times cheaper than the
 * built-in class.
 */
export class LightHeaders implements Headers {
  /** Lower-case name, value, lower-case name, value, … */
  #fields: string[] = []

  constructor(init?: HeadersInit) {
    if (init === undefined) return
    const pairs: Iterable<readonly string[]> =
      Symbol.iterator in init ? (init as Iterable<readonly string[]>) : Object.entries(init as Record<string, string>)
    for (const [name, value] of pairs) this.append(name ?? '', value ?? '')
  }

  /** Takes over alternating names and values from a parser: names in lower case, already validated. */
  static of(fields: string[]): LightHeaders {
    const headers = new LightHeaders()
    headers.#fields = fields
    return headers
  }

  /** Headers from an HTTP/1.1 parser, with names in any case. */
  static fromRaw(raw: readonly string[]): LightHeaders {
    return LightHeaders.of(raw.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text)))
  }

  /** Alternating names and values; one pair per header line. */
  get flat(): string[] {
    return this.#fields
  }

  append(name: string, value: string): void {
    this.#fields.push(fieldName(name), fieldValue(value))
  }

  delete(name: string): void {
    const key = keyOf(name)
    this.deleteAll((each) => each === key)
  }

  some(accepts: Accepts): boolean {
    for (let i = 0; i < this.#fields.length; i += 2) if (accepts(this.#fields[i] as string)) return true
    return false
  }

  deleteAll(accepts: Accepts): void {
    const fields = this.#fields
    let kept = 0
    for (let i = 0; i < fields.length; i += 2) {
      if (accepts(fields[i] as string)) continue
      fields[kept++] = fields[i] as string
      fields[kept++] = fields[i + 1] as string
    }
    for (let left = fields.length - kept; left > 0; left--) fields.pop()
  }

  /** As in the Fetch standard, but of headers that have one value the first line alone. */
  get(name: string): string | null {
    const fields = this.#fields
    const key = keyOf(name)
    let found: string | null = null
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i] !== key) continue
      const value = fields[i + 1] as string
      if (found === null) found = value
      else if (single.has(key)) return found
      else found = `${found}${key === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  /** The values of a header, one per line. */
  getAll(name: string): string[] {
    const fields = this.#fields
    const key = keyOf(name)
    return fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === key)
  }

  /** The lines of the headers with names, in lower case, that are accepted. */
  lines(accepts: Accepts): Map<string, string[]> {
    const fields = this.#fields
    const found = new Map<string, string[]>()
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] as string
      if (!accepts(name)) continue
      const known = found.get(name)
      if (known === undefined) found.set(name, [fields[i + 1] as string])
      else known.push(fields[i + 1] as string)
    }
    return found
  }

  has(name: string): boolean {
    const key = keyOf(name)
    for (let i = 0; i < this.#fields.length; i += 2) if (this.#fields[i] === key) return true
    return false
  }

  set(name: string, value: string): void {
    const key = fieldName(name)
    const text = fieldValue(value)
    const fields = this.#fields
    const first = fields.findIndex((each, i) => i % 2 === 0 && each === key)
    if (first < 0) return void fields.push(key, text)
    fields[first + 1] = text
    let isFirst = true
    // The lines behind it, in one pass.
    if (fields.indexOf(key, first + 1) > 0)
      this.deleteAll((each) => {
        if (each !== key) return false
        const kept = isFirst
        isFirst = false
        return !kept
      })
  }

  getSetCookie(): string[] {
    return this.#fields.filter((_, i) => i % 2 === 1 && this.#fields[i - 1] === 'set-cookie')
  }

  forEach(callback: (value: string, key: string, parent: Headers) => void, thisArg?: unknown): void {
    for (const [name, value] of this.#sorted()) callback.call(thisArg, value, name, this)
  }

  entries() {
    return this.#sorted().values()
  }

  keys() {
    return this.#names().values()
  }

  values() {
    return this.#sorted()
      .map(([, value]) => value)
      .values()
  }

  [Symbol.iterator]() {
    return this.entries()
  }

  #names(): string[] {
    if (this.#fields.length > 2 * fewFields) return [...new Set(this.#fields.filter((_, i) => i % 2 === 0))].sort()
    const names: string[] = []
    for (let i = 0; i < this.#fields.length; i += 2) {
      const name = this.#fields[i] as string
      if (names.includes(name)) continue
      let at = names.length
      for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string
      names[at] = name
    }
    return names
  }

  /** Sorted by name, and combined except for cookies (Fetch standard, 'sort and combine'). */
  #sorted(): [string, string][] {
    const lines = this.lines(() => true)
    return this.#names().flatMap((name): [string, string][] => {
      const values = lines.get(name) ?? []
      return name === 'set-cookie' ? values.map((value) => [name, value]) : [[name, values.join(name === 'cookie' ? '; ' : ', ')]]
    })
  }
}

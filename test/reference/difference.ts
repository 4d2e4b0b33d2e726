/** Differences between two answers, and the class that a difference belongs to. */
import type { Json } from '../../core/schema/model.ts'
import type { Normal } from './normal.ts'

/** One place where answers differ; undefined: absent. */
export interface Difference {
  /** Such as `body.spec.containers[0].image`. */
  readonly path: string
  readonly reference: Json | undefined
  readonly ours: Json | undefined
}

/** All places where two answers differ, at most `limit`. */
export function differences(reference: Normal, ours: Normal, limit: number): Difference[] {
  const found: Difference[] = []
  walk('code', reference.code, ours.code, found, limit)
  walk('headers', reference.headers as unknown as Json, ours.headers as unknown as Json, found, limit)
  walk('body', reference.body, ours.body, found, limit)
  if (reference.code === ours.code) walk('layout', reference.layout, ours.layout, found, limit)
  return found
}

function walk(path: string, reference: Json | undefined, ours: Json | undefined, found: Difference[], limit: number): void {
  if (found.length >= limit || reference === ours) return
  if (isObject(reference) && isObject(ours)) {
    if (Array.isArray(reference) && Array.isArray(ours)) {
      for (let at = 0; at < Math.max(reference.length, ours.length); at++) walk(`${path}[${at}]`, reference[at], ours[at], found, limit)
      return
    }
    if (Array.isArray(reference) === Array.isArray(ours)) {
      const before = found.length
      const left = reference as { [key: string]: Json }
      const right = ours as { [key: string]: Json }
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
        walk(path + stepTo(name), left[name], right[name], found, limit)
      const [order, other] = [Object.keys(left), Object.keys(right)]
      if (found.length === before && order.join() !== other.join())
        found.push({ path: `${path} order of members`, reference: order, ours: other })
      return
    }
  }
  found.push({ path, reference, ours })
}

/** Names that are no identifiers are quoted: names of types, paths, keys. */
const stepTo = (name: string) => (/^[A-Za-z_$][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

const isObject = (value: Json | undefined): value is Json[] | { [key: string]: Json } => typeof value === 'object' && value !== null

/** A path without what varies between requests of one class: numbers of items, quoted names, properties of documents. */
const general = (path: string) =>
  path
    .replaceAll(/\[\d+\]/g, '[]')
    .replaceAll(/\["(\\.|[^"\\])*"\]/g, '[…]')
    .replaceAll(/\bproperties\.[^.[ ]+/g, 'properties.…')

/** A text without the values in it. */
function wording(value: Json | undefined): string {
  if (typeof value !== 'string')
    return value === undefined ? 'absent' : value === null ? 'null' : Array.isArray(value) ? '[]' : typeof value
  return value
    .replaceAll(/"(\\.|[^"\\])*"/g, '"…"')
    .replaceAll(/\{.*\}/g, '{…}')
    .replaceAll(/\[.*\]/g, '[…]')
    .replaceAll(/^\w+ in version "…" cannot be handled as an? \w+: /g, '')
    .replaceAll(/Go struct field \S+/g, 'Go struct field …')
    .replaceAll(/^\S+ "…" is invalid: \S+: /g, 'invalid: ')
    .replaceAll(/\d+/g, 'N')
    .slice(0, 120)
}

/** What two texts differ in. */
function contrast(reference: Json | undefined, ours: Json | undefined): string {
  const [one, other] = [wording(reference), wording(ours)]
  if (one !== other || typeof reference !== 'string' || typeof ours !== 'string') return ` "${one}" → "${other}"`
  const [left, right] = [reference.split(/(?<=[\s.,:;])/), ours.split(/(?<=[\s.,:;])/)]
  while (left.length > 0 && left[0] === right[0]) {
    left.shift()
    right.shift()
  }
  while (left.length > 0 && left.at(-1) === right.at(-1)) {
    left.pop()
    right.pop()
  }
  return ` … ${left.join('').trim().slice(0, 60)} … → … ${right.join('').trim().slice(0, 60)} …`
}

/** Causes of a Status as `reason field`. */
function causes(body: Json): string[] {
  const list = (body as { details?: { causes?: { reason?: string; field?: string }[] } } | null)?.details?.causes ?? []
  return list.map(({ reason = '', field = '' }) => `${reason} ${general(field)}`)
}

/** The class of a difference: the same for requests that fail to match in the same way. */
export function classOf(reference: Normal, ours: Normal, found: readonly Difference[]): string {
  const message = ({ body }: Normal) => wording(typeof body === 'object' ? (body as { message?: string } | null)?.message : body)
  if (reference.code !== ours.code) {
    const failed = reference.code >= 400 ? reference : ours
    return `code ${reference.code} → ${ours.code}: ${message(failed)}`
  }
  const [left, right] = [causes(reference.body), causes(ours.body)]
  if (left.join() !== right.join()) {
    const missing = left.filter((each) => !right.includes(each))
    const extra = right.filter((each) => !left.includes(each))
    if (missing.length + extra.length === 0) return `causes in another order or number: ${[...new Set(left)].join(', ').slice(0, 160)}`
    return `causes ${[...missing.map((each) => `lacks ${each}`), ...extra.map((each) => `has ${each}`)].join(', ').slice(0, 240)}`
  }
  const places = new Map<string, string>()
  for (const { path, reference: one, ours: other } of found) {
    const place = general(path)
    const how = one === undefined ? 'has' : other === undefined ? 'lacks' : 'differs'
    const detail = place === 'body.message' || place.startsWith('headers') || place.endsWith('.message') ? contrast(one, other) : ''
    if (places.size < 4) places.set(place, `${how} ${place}${detail}`)
  }
  // The message repeats the causes.
  if (places.size > 1 && left.length > 0) places.delete('body.message')
  return [...places.values()].join('; ').slice(0, 320)
}

/** Classes of single places, for documents: each place is a difference of its own. */
export function placeClass({ path, reference, ours }: Difference): string {
  const how = reference === undefined ? 'has' : ours === undefined ? 'lacks' : 'differs'
  return `${how} ${general(path)}`
}

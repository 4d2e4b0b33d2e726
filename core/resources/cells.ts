/** Cells and columns shared by tables of many kinds, in the reference's format. */

import { getPath } from '../schema/accessors.ts'
import type { Infer, Json } from '../schema/model.ts'
import type { CellContext, Column, Path } from './definition.ts'
import type { LabelSelector } from './meta/selector.ts'

export const none = '<none>'
export const unknown = '<unknown>'
export const unset = '<unset>'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Duration with at most two units, the second one only if the first is small: `5m10s`, `3h`, `2d4h`, `400d`. Milliseconds. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(milliseconds / minute)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(milliseconds / hour)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 2920 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`

/** The smallest unit shown for a duration. */
function shownUnit(milliseconds: number): number {
  if (milliseconds < 10 * minute) return second
  return milliseconds < 8 * hour ? minute : milliseconds < 8 * 24 * hour ? hour : 24 * hour
}

/** Text of the time since a moment, in milliseconds since the epoch. Reports to the context when the text changes. */
export function elapsed(since: number, { now, changesAt }: Pick<CellContext, 'now' | 'changesAt'>): string {
  const passed = now - since
  const unit = shownUnit(passed)
  changesAt?.(passed < 0 ? now + 1 : now + unit - (passed % unit))
  return humanDuration(passed)
}

/** Time since a timestamp (RFC 3339); `missing` when it is unset. */
export function age(timestamp: string | null | undefined, context: Pick<CellContext, 'now' | 'changesAt'>, missing = unknown): string {
  if (timestamp === null || timestamp === undefined || timestamp === '') return missing
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? '<invalid>' : elapsed(at, context)
}

/** `ready/wanted`; unset values are 0. */
export function ratio(part: number | null | undefined, whole: number | null | undefined): string {
  return `${part ?? 0}/${whole ?? 0}`
}

export function joined(items: readonly string[] | null | undefined): string {
  return items === null || items === undefined || items.length === 0 ? none : items.join(',')
}

type Texts = { readonly [key: string]: string }

/** `a=1,b=2`, sorted. */
export function labelsText(labels: Texts | null | undefined): string {
  return joined(
    Object.entries(labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort(),
  )
}

/** The first `max` of `count` items, and the number of remaining ones: `a,b,c + 2 more...`. Empty without items. */
export function abridged(items: readonly string[], max = 3, separator = ',', count = items.length): string {
  const shown = items.slice(0, max).join(separator)
  return count > max ? `${shown} + ${count - max} more...` : shown
}

interface Condition {
  readonly type?: string | undefined
  readonly status?: string | undefined
}

/** The first condition of a type. */
export function conditionOf<C extends Condition>(conditions: readonly C[] | null | undefined, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Whether the condition of a type is `True`. */
export function isTrue(conditions: readonly Condition[] | null | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}

export type Selector = Infer<typeof LabelSelector>

/** A metav1.LabelSelector as text. `<none>` when it is absent or selects everything. */
export function selectorText(selector: Selector | null | undefined): string {
  const terms = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }))
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const list = `(${[...values].sort().join(',')})`
    if (operator === 'In') terms.push({ key, text: `${key} in ${list}` })
    else if (operator === 'NotIn') terms.push({ key, text: `${key} notin ${list}` })
    else if (operator === 'Exists') terms.push({ key, text: key })
    else if (operator === 'DoesNotExist') terms.push({ key, text: `!${key}` })
    else return '<error>'
  }
  return joined(terms.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ text }) => text))
}

interface ContainerCells {
  readonly name: string
  readonly image?: string | undefined
}

export function containerNames(containers: readonly ContainerCells[] | null | undefined): string {
  return (containers ?? []).map(({ name }) => name).join(',')
}

export function containerImages(containers: readonly ContainerCells[] | null | undefined): string {
  return (containers ?? []).map(({ image = '' }) => image).join(',')
}

// Column constructors. Columns with a path work for every kind.

const nameDoc = 'Name of the object, unique within its namespace.'
const createdDoc = 'When the object was created.'

export const nameColumn: Column<unknown> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  doc: nameDoc,
  priority: 0,
  cell: '.metadata.name',
}

interface MarkedRow {
  readonly metadata?:
    | { readonly name?: string | undefined; readonly annotations?: { readonly [key: string]: string } | undefined }
    | undefined
}

/** The name, of an object with one of these annotations as that of the default. */
export function defaultMarkColumn(...annotations: readonly string[]): Column<MarkedRow> {
  return {
    ...nameColumn,
    cell({ metadata }, { platform }) {
      const isDefault = annotations.some((mark) => metadata?.annotations?.[platform.name(mark)] === 'true')
      return `${metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`
    },
  }
}

export const ageColumn: Column<unknown> = {
  name: 'Age',
  type: 'string',
  doc: createdDoc,
  priority: 0,
  cell: (object, context) =>
    age(getPath(object as { [key: string]: unknown }, '.metadata.creationTimestamp') as string | undefined, context),
}

/** Columns of kinds that define none. */
export const defaultColumns: readonly Column<unknown>[] = [
  nameColumn,
  { name: 'Created At', type: 'date', doc: createdDoc, priority: 0, cell: '.metadata.creationTimestamp' },
]

type Read<T, R> = { read(object: T, context: CellContext): R }['read']

/** A text column: from a path (`missing` when unset or empty), or computed. */
export function textColumn<T = unknown>(name: string, doc: string, cell: Path | Read<T, string>, missing = ''): Column<T> {
  if (typeof cell === 'function') return { name, type: 'string', doc, priority: 0, cell }
  return { name, type: 'string', doc, priority: 0, cell: (object) => textAt(object, cell) || missing }
}

const at = (object: unknown, path: Path) => getPath(object as { [key: string]: unknown }, path)

function textAt(object: unknown, path: Path): string {
  const value = at(object, path)
  return value === null || value === undefined ? '' : String(value)
}

/** An integer column from a path; 0 when unset. Some tables declare such columns as string. */
export function countColumn(name: string, doc: string, path: Path, type: 'integer' | 'string' = 'integer'): Column<unknown> {
  return { name, type, doc, priority: 0, cell: (object) => (at(object, path) as number | null | undefined) ?? 0 }
}

/** A column with the number of entries of the lists and maps at paths. */
export function sizeColumn(name: string, doc: string, type: 'integer' | 'string', ...paths: readonly Path[]): Column<unknown> {
  const size = (value: Json | undefined) => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)
  return { name, type, doc, priority: 0, cell: (object) => paths.reduce((sum, path) => sum + size(at(object, path)), 0) }
}

/** A boolean column from a path. */
export function flagColumn(
  name: string,
  doc: string,
  path: Path,
  missing = false,
  type: 'boolean' | 'string' = 'boolean',
): Column<unknown> {
  return { name, type, doc, priority: 0, cell: (object) => (at(object, path) as boolean | null | undefined) ?? missing }
}

/** A column `part/whole` from two paths. */
export function ratioColumn(name: string, doc: string, part: Path, whole: Path): Column<unknown> {
  const number = (object: unknown, path: Path) => at(object, path) as number | undefined
  return { name, type: 'string', doc, priority: 0, cell: (object) => ratio(number(object, part), number(object, whole)) }
}

/** A column with the time since a timestamp. */
export function sinceColumn(name: string, doc: string, path: Path, missing = unknown): Column<unknown> {
  return {
    name,
    type: 'string',
    doc,
    priority: 0,
    cell: (object, context) => age(textAt(object, path), context, at(object, path) === null ? unknown : missing),
  }
}

/** Names and images of the containers at a path. */
export function containerColumns(path: Path): readonly Column<unknown>[] {
  const containers = (object: unknown) => at(object, path) as readonly ContainerCells[] | undefined
  return [
    textColumn('Containers', 'Names of the containers in the template.', (object) => containerNames(containers(object))),
    textColumn('Images', 'Images of the containers in the template.', (object) => containerImages(containers(object))),
  ]
}

/** The label selector at a path. */
export function selectorColumn(path: Path, name = 'Selector', doc = 'Selects the pods.'): Column<unknown> {
  return textColumn(name, doc, (object) => selectorText(at(object, path) as Selector | undefined))
}

/** A column that is only shown with `-o wide`. */
export function wide<T>(column: Column<T>): Column<T> {
  return { ...column, priority: 1 }
}

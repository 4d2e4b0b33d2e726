import type { Context } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Lookup } from '../lookup.ts'

/** The default class by one of the annotations: the newest; of equally new ones the first by name. */
export async function defaultClassOf(
  { list }: Lookup,
  group: string,
  plural: string,
  annotations: readonly string[],
  context: Context,
): Promise<ApiObject | undefined> {
  const isMarked = ({ metadata }: ApiObject) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true')
  const created = ({ metadata }: ApiObject) => metadata.creationTimestamp ?? ''
  const newer = (a: ApiObject, b: ApiObject) =>
    created(a) === created(b) ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : created(a) > created(b)
  const marked = (await list(group, plural, '', context)).filter(isMarked)
  return marked.reduce<ApiObject | undefined>((best, each) => (best === undefined || newer(each, best) ? each : best), undefined)
}

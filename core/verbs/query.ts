import { badRequest } from '../answers/status.ts'
import type { Freshness } from '../objects/storage/object-store.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import type { FeedQuery, FieldTerm, RequiredValue, Scope } from '../objects/watch/feed.ts'
import { decodeContinue, inconsistent } from '../request/continue-token.ts'
import type { FieldRequirement } from '../request/field-selector.ts'
import { bindFieldSelector, exactField, fieldKey, fieldReader, fieldSelectorText, pathReader } from '../request/field-selector.ts'
import type { ListOptions } from '../request/options.ts'
import { parseListVersion } from '../request/resource-version.ts'
import { parseShardSelector, type ShardSelector } from '../request/shard-selector.ts'
import type { ListServices, Target } from './services.ts'

/** The terms of the field selector besides the name that it requires. */
function otherFields({ fieldSelector = [] }: Pick<ListOptions, 'fieldSelector'>): readonly FieldRequirement[] {
  const name = exactField(fieldSelector, 'metadata.name')
  return name === undefined
    ? fieldSelector
    : fieldSelector.filter((each) => each.field !== 'metadata.name' || each.operator !== '=' || each.value !== name)
}

/** The shard that a list or watch is limited to, while its feature gate is on. Throws 500. */
export function shardOf({ settings }: ListServices, { shardSelector = '' }: ListOptions): ShardSelector | undefined {
  return shardSelector === '' || !settings.enabled('ShardedListAndWatch') ? undefined : parseShardSelector(shardSelector)
}

const shardReaders = { uid: pathReader('.metadata.uid'), namespace: pathReader('.metadata.namespace') } as const

/** Test for the selectors, with the one of a shard; undefined when everything matches. */
function matcherIn(target: Target, options: ListOptions, shard: ShardSelector | undefined): ((entry: StoredObject) => boolean) | undefined {
  const matches = matcher(target, options)
  if (shard === undefined) return matches
  const [key, read] = [`metadata.${shard.field}`, shardReaders[shard.field]]
  return (entry) => shard.matches(entry.field(key, read)) && (matches === undefined || matches(entry))
}

/** Test for the label and field selectors; undefined when everything matches. */
export function matcher({ resource: { definition } }: Target, options: ListOptions): ((entry: StoredObject) => boolean) | undefined {
  const { labelSelector } = options
  const labels = labelSelector && !labelSelector.empty ? labelSelector : undefined
  const others = otherFields(options)
  const fields = others.length > 0 ? bindFieldSelector(others, definition) : undefined
  if (!labels && !fields) return undefined
  return (entry) =>
    (labels === undefined || labels.matches(entry.labels)) && (fields === undefined || fields((field, read) => entry.field(field, read)))
}

/** The only name that a selector on metadata.name allows. */
export function nameWanted(options: ListOptions): { name?: string } {
  const name = options.fieldSelector && exactField(options.fieldSelector, 'metadata.name')
  return name === undefined ? {} : { name }
}

/** The first selector term with an index in the cache. */
function indexedTerm({ resource: { definition } }: Target, { fieldSelector = [] }: ListOptions): FieldTerm | undefined {
  const term = fieldSelector.find(({ field, operator }) => operator === '=' && definition.indexed?.includes(field))
  return term && { field: term.field, value: term.value, read: fieldReader(term.field, definition) }
}

/** The first value that the selectors require of a field or label, except of the name. */
function requiredValue({ resource: { definition } }: Target, options: ListOptions): RequiredValue | undefined {
  const term = otherFields(options).find(({ operator }) => operator === '=')
  if (term) {
    const [key, read] = [fieldKey(term.field, definition), fieldReader(term.field, definition)]
    return { key: `field ${key}`, value: term.value, read: (entry) => entry.field(key, read) }
  }
  const label = options.labelSelector?.exact
  return (
    label && {
      key: `label ${label.key}`,
      value: label.value,
      read: ({ labels }) => (Object.hasOwn(labels, label.key) ? labels[label.key] : undefined),
    }
  )
}

/** What a watch selects: `scope` is the part that an index of changes can answer, `matches` tests an object; absent: all in the scope. */
export function watchSelection(
  lists: ListServices,
  target: Target,
  options: ListOptions,
): { readonly scope: Scope; readonly matches?: (entry: StoredObject) => boolean } {
  const { namespace } = target
  const shard = shardOf(lists, options)
  const required = requiredValue(target, options)
  const scope = { namespace, ...nameWanted(options), ...(required && { required }) }
  const terms = otherFields(options).length + (options.labelSelector?.requirements.length ?? 0)
  // The test of an agent's watch holds nothing of its own, as there are thousands.
  if (required !== undefined && terms === 1 && shard === undefined)
    return { scope, matches: (entry) => required.read(entry) === required.value }
  const matches = matcherIn(target, options, shard)
  return { scope, ...(matches && { matches }) }
}

/** `inPages`: without a match a page is of exactly the version, as in the reference, unless only one name is wanted. */
function freshness({ resourceVersion = '', resourceVersionMatch: match = '' }: ListOptions, inPages: boolean): Freshness {
  const revision = parseListVersion(resourceVersion)
  if (revision === 0) return resourceVersion === '0' ? 'any' : 'newest'
  return match === 'Exact' || (match === '' && inPages) ? { exact: revision } : { atLeast: revision }
}

/** Text form of the selectors; equal texts select the same objects. */
function selectorKey({ labelSelector, fieldSelector = [] }: ListOptions, shard: ShardSelector | undefined): string {
  return `${labelSelector?.toString() ?? ''}\n${fieldSelectorText(fieldSelector)}${shard ? `\n${shard.text}` : ''}`
}

/** Query of a list or of a watch's initial state. `inPages`: the reference reads pages, though the client wants all objects. */
export function entryQuery(lists: ListServices, target: Target, options: ListOptions, inPages = false): FeedQuery {
  const { exchange, namespace } = target
  const shard = shardOf(lists, options)
  const matches = matcherIn(target, options, shard)
  // As in the reference, a list of any version, which comes from memory, has one page.
  const limit = options.resourceVersion === '0' ? 0 : Math.max(0, options.limit ?? 0)
  const indexed = indexedTerm(target, options)
  const { name } = nameWanted(options)
  // Member by member: reading an object that was spread takes longer than all of this.
  const query: { -readonly [member in keyof FeedQuery]: FeedQuery[member] } = {
    namespace,
    context: exchange,
    slices: lists.pauses.fairSlices(() => exchange.signal),
  }
  if (name !== undefined) query.name = name
  if (matches !== undefined) {
    query.matches = matches
    query.selector = selectorKey(options, shard)
  }
  if (indexed !== undefined) query.indexed = indexed
  if (limit > 0) query.limit = limit
  if (!options.continue) {
    query.at = freshness(options, (inPages || limit > 0) && name === undefined)
    return query
  }
  const { start, revision } = decodeContinue(options.continue, lists.platform)
  if ((options.resourceVersion ?? '0') !== '0' && options.resourceVersion !== '')
    throw badRequest('specifying resource version is not allowed when using continue')
  query.from = start
  query.at = revision === inconsistent ? 'newest' : { exact: revision }
  return query
}

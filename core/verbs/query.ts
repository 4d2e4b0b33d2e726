import { decodeContinue, inconsistent } from '../request/continue-token.ts'
import { bindFieldSelector, exactField, fieldKey, fieldReader, fieldSelectorText } from '../request/field-selector.ts'
import type { ListOptions } from '../request/options.ts'
import { parseListVersion } from '../request/resource-version.ts'
import { badRequest } from '../respond/status.ts'
import type { Entry } from '../storage/entry.ts'
import type { Freshness } from '../storage/object-store.ts'
import type { FeedQuery, FieldTerm, RequiredValue, Scope } from '../watch/feed.ts'
import type { Target } from './services.ts'

/** Test for the label and field selectors; undefined when everything matches. */
export function matcher(
  { resource: { definition } }: Target,
  { labelSelector, fieldSelector }: ListOptions,
): ((entry: Entry) => boolean) | undefined {
  const labels = labelSelector && !labelSelector.empty ? labelSelector : undefined
  const name = fieldSelector && exactField(fieldSelector, 'metadata.name')
  const others =
    fieldSelector?.filter(({ field, operator, value }) => field !== 'metadata.name' || operator !== '=' || value !== name) ?? []
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
function requiredValue(
  { resource: { definition } }: Target,
  { fieldSelector = [], labelSelector }: ListOptions,
): RequiredValue | undefined {
  const term = fieldSelector.find(({ field, operator }) => operator === '=' && field !== 'metadata.name')
  if (term) {
    const [key, read] = [fieldKey(term.field, definition), fieldReader(term.field, definition)]
    return { key: `field ${key}`, value: term.value, read: (entry) => entry.field(key, read) }
  }
  const label = labelSelector?.exact
  return (
    label && {
      key: `label ${label.key}`,
      value: label.value,
      read: ({ labels }) => (Object.hasOwn(labels, label.key) ? labels[label.key] : undefined),
    }
  )
}

/** The part of the selectors that an index of changes can answer. */
export function watchScope(target: Target, options: ListOptions): Scope {
  const required = requiredValue(target, options)
  return { namespace: target.namespace, ...nameWanted(options), ...(required && { required }) }
}

/** `inPages`: without a match a page is of exactly the version, as in the reference, unless only one name is wanted. */
function freshness({ resourceVersion = '', resourceVersionMatch: match = '' }: ListOptions, inPages: boolean): Freshness {
  const revision = parseListVersion(resourceVersion)
  if (revision === 0) return resourceVersion === '0' ? 'any' : 'newest'
  return match === 'Exact' || (match === '' && inPages) ? { exact: revision } : { atLeast: revision }
}

/** Text form of the selectors; equal texts select the same objects. */
function selectorKey({ labelSelector, fieldSelector = [] }: ListOptions): string {
  return `${labelSelector?.toString() ?? ''}\n${fieldSelectorText(fieldSelector)}`
}

/** Query of a list or of a watch's initial state. `inPages`: the reference reads pages, though the client wants all objects. */
export function entryQuery(target: Target, options: ListOptions, inPages = false): FeedQuery {
  const { exchange, resource, namespace, services } = target
  const { keys } = resource.store
  const matches = matcher(target, options)
  const limit = Math.max(0, options.limit ?? 0)
  const indexed = indexedTerm(target, options)
  const base = {
    namespace,
    ...(nameWanted(options) as { name?: string }),
    context: exchange,
    slices: services.pauses.slices(() => exchange.signal),
    ...(matches && { matches, selector: selectorKey(options) }),
    ...(indexed && { indexed }),
    ...(limit > 0 && { limit }),
  }
  if (!options.continue) return { ...base, at: freshness(options, (inPages || limit > 0) && base.name === undefined) }
  if (parseListVersion(options.resourceVersion ?? '') !== 0)
    throw badRequest('specifying resource version is not allowed when using continue')
  const { start, revision } = decodeContinue(options.continue, services.platform)
  return { ...base, after: keys.prefix(namespace) + start, at: revision === inconsistent ? 'newest' : { exact: revision } }
}

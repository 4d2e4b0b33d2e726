/** Cost estimates of calls: by function (apiserver, pkg/cel/library/cost.go) and by overload (cel-go). */
import { isInt } from '../values/numbers.ts'
import type { CallEstimate, EstimatedCall, EstimatedNode } from './estimate.ts'
import { add, fixed, largest, multiply, one, type Range, sum, times, union, unknown } from './range.ts'

/** Undefined: the rule does not apply. The result excludes the cost of arguments. */
type Rule = (call: EstimatedCall) => CallEstimate | undefined

const traversal = 0.1
const patternFactor = 0.25

const sizeOf = (node: EstimatedNode | undefined): Range => node?.size ?? unknown
const nominal: Rule = () => ({ cost: one })

/** Traverses the receiver, or the first argument. The result has the same size. */
const traversesTarget: Rule = ({ target }) => target && { cost: times(sizeOf(target), traversal), size: sizeOf(target) }
const traversesArgument =
  (factor = 1): Rule =>
  ({ args: [arg] }) =>
    arg && { cost: times(sizeOf(arg), factor * traversal) }
const readsArgument: Rule = ({ args: [arg] }) => arg && { cost: times(sizeOf(arg), traversal), size: sizeOf(arg) }

/** Visits every item; strings are traversed, too. The receiver may also be a string. */
const scansList: Rule = ({ target, itemsOf }) => {
  if (!target) return undefined
  const items = itemsOf(target)
  if (!items) return { cost: times(sizeOf(target), traversal) }
  const texts = items.type.kind === 'string' || items.type.kind === 'bytes'
  const each = texts ? add(one, times(sizeOf(items), traversal)) : one
  return { cost: multiply(sizeOf(target), each) }
}

/** Size of a replacement's result: largest when the shortest parts are replaced by the longest strings. */
function replacedSize(text: Range, old: Range, put: Range): Range {
  const end = (size: number, oldSize: number, keeps: boolean) => {
    if (oldSize === 0) return { count: Math.min(size + 1, largest), kept: size }
    return keeps ? { count: 0, kept: size } : { count: Math.ceil(size / oldSize), kept: 0 }
  }
  const max = end(text.max, old.min, put.max <= old.min)
  const min = end(text.min, old.max, old.max <= put.min)
  return add(multiply({ min: min.count, max: max.count }, put), { min: min.kept, max: max.kept })
}

const replaces: Rule = ({ target, args: [old, put] }) => {
  if (!target || !old || !put) return undefined
  const size = sizeOf(target)
  return { cost: times(size, 2 * traversal), size: replacedSize(size, sizeOf(old), sizeOf(put)) }
}

function literalInt(node: EstimatedNode | undefined): number | undefined {
  return node?.node?.kind === 'literal' && isInt(node.node.value) ? Number(node.node.value) : undefined
}

const splits: Rule = ({ target, args: [, limit] }) =>
  target && { cost: times(sizeOf(target), 2 * traversal), size: { min: 0, max: unsigned(literalInt(limit)) ?? sizeOf(target).max } }

/** cel-go treats a negative limit as a very large unsigned number. */
const unsigned = (count: number | undefined) => (count !== undefined && count < 0 ? largest : count)

const joins: Rule = ({ target, args: [separator], itemsOf }) => {
  if (!target) return undefined
  const count = sizeOf(target)
  const items = itemsOf(target)
  let size = items ? multiply(count, sizeOf(items)) : fixed(0)
  if (separator) size = add(size, multiply(sizeOf(separator), { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }))
  return { cost: times(size, traversal), size }
}

/** Plus one character, so that an empty string has a cost. */
const matches = (text: Range, pattern: Range): Range => multiply(times(add(text, one), traversal), times(pattern, patternFactor))
const finds: Rule = ({ target, args: [pattern] }) =>
  target && pattern && { cost: matches(sizeOf(target), sizeOf(pattern)), size: { min: 0, max: sizeOf(target).max } }

/** An IP address has 4 or 16 bytes. */
const addressBytes: Range = { min: 4, max: 16 }
const comparesAddresses =
  (parsed: string, masks: boolean): Rule =>
  ({ overload, args: [other] }) => {
    let cost = times(add(addressBytes, addressBytes), traversal)
    if (masks) cost = add(cost, times(addressBytes, traversal), one)
    return { cost: overload === parsed ? add(cost, times(sizeOf(other), traversal)) : cost }
  }

/** Types whose values are compared in one step. */
const opaque = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
])

const equals: Rule = ({ args: [left, right] }) => {
  if (!left || !right || left.type.name !== right.type.name) return undefined
  const { name } = left.type
  if (opaque.has(name)) return { cost: one }
  if (name === 'kubernetes.NamedFormat') return { cost: times({ min: 1, max: 64 }, traversal) }
  if (name === 'kubernetes.URL') return { cost: times({ min: 1, max: (right.size ?? one).max }, traversal) }
  return undefined
}

/** A selector has at most one requirement per two characters. */
const selects: Rule = ({ args: [selector] }) => {
  const size = sizeOf(selector)
  return { cost: add(fixed(10), times(size, traversal), times(times(size, 0.5), 50)) }
}

const each = (names: string, rule: Rule): readonly (readonly [string, Rule])[] => names.split(' ').map((name) => [name, rule])

const byFunction: ReadonlyMap<string, Rule> = new Map([
  ...each('check', () => ({ cost: fixed(350_000) })),
  ...each('serviceAccount path group resource subresource namespace name allowed reason error errored', nominal),
  ...each('fieldSelector labelSelector', selects),
  ...each('isSorted sum max min indexOf lastIndexOf', scansList),
  ...each('url jsonpatch.escapeKey', readsArgument),
  ...each('lowerAscii upperAscii substring trim', traversesTarget),
  ...each('replace', replaces),
  ...each('split', splits),
  ...each('join', joins),
  ...each('find findAll', finds),
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', traversesArgument()),
  ...each('ip', (call) => (call.overload === 'cidr_ip' ? { cost: one } : traversesArgument()(call))),
  ...each('ip.isCanonical', traversesArgument(2)),
  ...each('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast', nominal),
  ...each('containsIP', comparesAddresses('cidr_contains_ip_string', false)),
  ...each('containsCIDR', comparesAddresses('cidr_contains_cidr_string', true)),
  ...each('validate', ({ args: [text] }) => text && { cost: times(times(sizeOf(text), traversal), 128 * patternFactor) }),
  ...each('format.named', nominal),
  ...each('sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch', nominal),
  ...each('getScheme getHostname getHost getPort getEscapedPath getQuery', nominal),
  ...each('_==_', equals),
])

/** A call that creates a list of this size. */
const makesList = (factor: number, size: Range): CallEstimate => ({ cost: add(times(size, factor), one, fixed(10)), size })

const slices: Rule = ({ target, args: [start, end] }) => {
  const last = literalInt(end) ?? sizeOf(target).max
  return makesList(1, fixed(Math.max(0, last - (literalInt(start) ?? 0))))
}
const flattens: Rule = ({ target, args: [depth] }) => makesList(depth ? (literalInt(depth) ?? largest) : 1, sizeOf(target))
const squared = (size: Range) => multiply(size, size)
const sorts =
  (type: string, of: (call: EstimatedCall) => EstimatedNode | undefined): Rule =>
  (call) =>
    makesList(type === 'string' || type === 'bytes' ? 2 + traversal : 2, squared(sizeOf(of(call))))
const comparable = ['int', 'uint', 'double', 'bool', 'google.protobuf.Duration', 'google.protobuf.Timestamp', 'string', 'bytes']

const comparesSets =
  (factor: number): Rule =>
  ({ args: [a, b] }) => ({ cost: add(times(multiply(sizeOf(a), sizeOf(b)), factor), one) })

/** Rules by overload take precedence over rules by function. */
const libraryOverloads: ReadonlyMap<string, Rule> = new Map([
  ['list_slice', slices],
  ['list_flatten', flattens],
  ['list_flatten_int', flattens],
  ['lists_range', ({ args: [count] }) => makesList(1, fixed(literalInt(count) ?? largest))],
  ['list_reverse', ({ target }) => makesList(1, sizeOf(target))],
  ['list_distinct', ({ target }) => makesList(2, squared(sizeOf(target)))],
  ...comparable.flatMap((type): readonly (readonly [string, Rule])[] => {
    const short = type.replace('google.protobuf.', '').toLowerCase()
    return [
      [`list_${short}_sort`, sorts(type, ({ target }) => target)],
      [`list_${short}_sortByAssociatedKeys`, sorts(type, ({ args: [keys] }) => keys)],
    ]
  }),
  ['list_sets_contains_list', comparesSets(1)],
  ['list_sets_intersects_list', comparesSets(1)],
  ['list_sets_equivalent_list', comparesSets(2)],
] as const)

const compares: Rule = ({ args: [left, right] }) => {
  const max = Math.min(sizeOf(left).max, sizeOf(right).max)
  return { cost: times({ min: max > 0 ? 1 : 0, max }, traversal) }
}

const concatenates =
  (costs: boolean): Rule =>
  ({ args: [left, right] }) => {
    const size = add(sizeOf(left), sizeOf(right))
    return { cost: costs ? times(size, traversal) : one, size }
  }

const converts =
  (size: (given: Range) => Range): Rule =>
  ({ args: [given] }) => ({ cost: times(sizeOf(given), traversal), size: size(sizeOf(given)) })

const comparisons = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`])

const languageOverloads: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['string_format', ({ target }) => target && { cost: times(sizeOf(target), traversal) }],
  ['string_to_bytes', converts(({ min, max }) => ({ min, max: Math.min(4 * max, largest) }))],
  ['bytes_to_string', converts(({ min, max }) => ({ min: Math.floor(min / 4), max }))],
  ['strings_quote', converts(({ min, max }) => ({ min: min + 2, max: (2 * max + 2) % 2 ** 64 }))],
  ['starts_with_string', traversesArgument()],
  ['ends_with_string', traversesArgument()],
  ['in_list', ({ args: [, list] }) => ({ cost: sizeOf(list) })],
  ['matches_string', ({ target, args: [pattern] }) => target && { cost: matches(sizeOf(target), sizeOf(pattern)) }],
  [
    'contains_string',
    ({ target, args: [part] }) => target && { cost: multiply(times(sizeOf(target), traversal), times(sizeOf(part), traversal)) },
  ],
  ['add_string', concatenates(true)],
  ['add_bytes', concatenates(true)],
  ['add_list', concatenates(false)],
  ['equals', compares],
  ['not_equals', compares],
  ...comparisons.map((id) => [id, compares] as const),
])

/** `&&`, `||` and `?:` cost what they evaluate. */
const forms: { readonly [overload: string]: ((call: EstimatedCall) => CallEstimate) | undefined } = {
  logical_and: logical,
  logical_or: logical,
  conditional: ({ args: [, yes, no], costs }) => {
    const [condition, first, second] = costs as readonly [Range, Range, Range]
    return { cost: add(condition, union(first, second)), size: union(sizeOf(yes), sizeOf(no)) }
  },
}

function logical({ costs }: EstimatedCall): CallEstimate {
  const [left, right] = costs as readonly [Range, Range]
  return { cost: { min: left.min, max: add(left, right).max } }
}

/** Cost of a call with its arguments (without receiver), and size of its result. */
export function estimateCall(call: EstimatedCall): CallEstimate {
  const form = forms[call.overload]
  if (form) return form(call)
  const found =
    libraryOverloads.get(call.overload)?.(call) ??
    byFunction.get(call.name)?.(call) ??
    languageOverloads.get(call.overload)?.(call) ??
    nominal(call)
  return { cost: sum([found?.cost ?? one, ...call.costs]), size: found?.size }
}

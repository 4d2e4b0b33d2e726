/** Validates the metrics of autoscalers. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { parseQuantity, quantitySign } from '../../schema/formats/quantity.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateContainerResourceName } from '../core/resource-validation.ts'
import { validateRequiredFormat } from '../validation.ts'
import { MetricSourceType } from './enums.ts'
import type { MetricTarget } from './metric-values.ts'
import type { MetricSpec } from './metrics.ts'
import { validateReference } from './reference-validation.ts'

type Target = Infer<typeof MetricTarget>

/** Required and mutually exclusive values of a target. */
interface TargetRule {
  readonly either: readonly (keyof Target & string)[]
  /** The field that the error for a missing value names. */
  readonly missing: keyof Target & string
  readonly required: string
  readonly exclusive?: { readonly field: keyof Target & string; readonly words: string }
}

const byResource: TargetRule = {
  either: ['averageUtilization', 'averageValue'],
  missing: 'averageUtilization',
  required: 'must set either a target raw value or a target utilization',
  exclusive: { field: 'averageValue', words: 'may not set both a target raw value and a target utilization' },
}

const sources = {
  object: { either: ['value', 'averageValue'], missing: 'averageValue', required: 'must set either a target value or averageValue' },
  external: {
    either: ['value', 'averageValue'],
    missing: 'averageValue',
    required: 'must set either a target value for metric or a per-pod target',
    exclusive: { field: 'value', words: 'may not set both a target value for metric and a per-pod target' },
  },
  pods: { either: ['averageValue'], missing: 'averageValue', required: 'must specify a positive target averageValue' },
  resource: byResource,
  containerResource: byResource,
} satisfies { readonly [source: string]: TargetRule }

type Source = keyof typeof sources
const sourceNames = Object.keys(sources) as Source[]
const sourceOf = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`

export function validateMetric(metric: Infer<typeof MetricSpec>, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const known = (MetricSourceType as readonly string[]).includes(metric.type)
  if (metric.type === '') errors.required(path.child('type'), 'must specify a metric source type')
  if (!known) errors.notSupported(path.child('type'), metric.type, [...MetricSourceType].sort())
  const present = sourceNames.filter((name) => metric[name] !== undefined)
  const [first] = present
  if (first !== undefined) validateSource(metric, first, path.child(first), errors, context)
  const expected = sourceOf(metric.type)
  if (!known) errors.notSupported(path.child('type'), metric.type, [...MetricSourceType].sort())
  else if (!(present as string[]).includes(expected)) {
    errors.required(path.child(expected), 'must populate information for the given metric source')
  }
  if (present.length === 1) return
  for (const name of present) {
    if (name !== expected) errors.forbidden(path.child(name), 'must populate the given metric source only')
  }
}

function validateSource(metric: Infer<typeof MetricSpec>, name: Source, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const source = metric[name]
  if (source === undefined) return
  if ('describedObject' in source) validateReference(source.describedObject, path.child('describedObject'), errors, 'any')
  if ('metric' in source)
    validateRequiredFormat(source.metric.name, 'pathSegment', path.child('metric').child('name'), errors, 'must specify a metric name')
  if ('name' in source && source.name === '') errors.required(path.child('name'), 'must specify a resource name')
  else if ('container' in source) validateContainerResourceName(source.name, path.child('name'), errors, context)
  if ('container' in source)
    validateRequiredFormat(source.container, 'dns1123Label', path.child('container'), errors, 'must specify a container')
  validateTarget(source.target, sources[name], path.child('target'), errors)
}

const isPositive = (amount: string) => quantitySign(parseQuantity(amount)) > 0

function validateTarget(target: Target, { either, missing, required, exclusive }: TargetRule, path: FieldPath, errors: FieldErrors): void {
  if (target.type === '') errors.required(path.child('type'), 'must specify a metric target type')
  if (!['Utilization', 'Value', 'AverageValue'].includes(target.type)) {
    errors.invalid(path.child('type'), target.type, 'must be either Utilization, Value, or AverageValue')
  }
  for (const name of ['value', 'averageValue'] as const) {
    const amount = target[name]
    if (amount !== undefined && !isPositive(amount)) errors.invalid(path.child(name), amount, 'must be positive')
  }
  const { averageUtilization } = target
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0')
  }
  const given = either.filter((name) => target[name] !== undefined)
  if (given.length === 0) errors.required(path.child(missing), required)
  if (given.length > 1 && exclusive) errors.forbidden(path.child(exclusive.field), exclusive.words)
}

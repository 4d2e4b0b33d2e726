import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { customResourceDefinitions } from '../../../../core/resources/apiextensions/customresourcedefinition.ts'
import type { ValidationRule as Rule, SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import { structuralProblems } from '../../../../core/resources/apiextensions/structural-problems.ts'
import { FieldErrors } from '../../../../core/schema/field-error.ts'
import { assertCheap } from '../../../support/cost.ts'
import { hookContext } from '../../../support/hook-context.ts'

const start = 'spec.validation.openAPIV3Schema.'
const rules = (...own: Rule[]) => ({ 'x-kubernetes-validations': own })

function definition(spec: SchemaNode) {
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
  return {
    metadata: { name: 'things.shop.test' },
    spec: { group: 'shop.test', scope: 'Namespaced', names, conversion: { strategy: 'None' }, versions },
    status: { storedVersions: ['v1'] },
  }
}

/** Validation errors of a definition with this schema of spec, without their common prefix. */
function errorsOf(spec: SchemaNode, old?: SchemaNode): string[] {
  const errors = new FieldErrors()
  const before = old && definition(old)
  customResourceDefinitions.strategy.validate?.(definition(spec) as never, errors, hookContext(), before as never)
  return errors.list.map(({ field, message }) => `${field.replace(start, '')}: ${message}`)
}

const text = (more: SchemaNode = {}): SchemaNode => ({ type: 'string', ...more })

describe('defaults in schemas', () => {
  it('are valid and survive pruning', () => {
    const properties: { [name: string]: SchemaNode } = {
      good: { type: 'object', default: { a: 'b' }, properties: { a: text() } },
      wrongType: text({ default: 5 }),
      wrongPart: { type: 'object', default: { a: 1 }, properties: { a: text() } },
      unknown: { type: 'object', default: { a: 'b', b: 1 }, properties: { a: text() } },
      ruled: text({ default: 'b', ...rules({ rule: "self == 'a'" }) }),
      inItem: { type: 'array', items: { type: 'object', properties: { a: text({ default: 1 }) } } },
      embedded: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        default: { apiVersion: 'v1', metadata: { name: 'A B' } },
      },
    }
    const at = 'properties[spec].properties'
    assert.deepEqual(errorsOf({ type: 'object', properties }), [
      `${at}[wrongType].default: Invalid value: "integer":  in body must be of type string: "integer"`,
      `${at}[wrongPart].default.a: Invalid value: "integer": a in body must be of type string: "integer"`,
      `${at}[unknown].default: Invalid value: {"a":"b","b":1}: must not have unknown fields`,
      `${at}[ruled].default: Invalid value: "b": failed rule: self == 'a'`,
      `${at}[inItem].items.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
      `${at}[embedded].default.kind: Required value`,
    ])
  })

  it('of metadata in embedded resources must be valid metadata', () => {
    const embedded = (properties: { [name: string]: SchemaNode }, more: SchemaNode = {}): SchemaNode => ({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { ...properties, spec: { type: 'object' } },
      ...more,
    })
    const metadata = (name: SchemaNode): SchemaNode => ({ type: 'object', properties: { name, labels: { type: 'object' } } })
    const properties: { [name: string]: SchemaNode } = {
      good: embedded({ kind: text({ default: 'Pod' }), apiVersion: text({ default: 'v1' }) }),
      kind: embedded({ kind: text({ default: '%' }) }),
      name: embedded({ metadata: metadata(text({ default: '%' })) }),
      wrongType: embedded({ metadata: metadata({ type: 'integer', default: 5 }) }),
      limited: embedded({ kind: text({ enum: ['Node'], default: 'Pod' }) }),
      whole: embedded({}, { default: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5 } } }),
      unknownInMetadata: embedded({}, { default: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', odd: 5 } } }),
    }
    const at = 'properties[spec].properties'
    const result = 'must result in valid metadata'
    const wrongName = 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'
    const label = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character"
    const errors = errorsOf({ type: 'object', properties }).map((error) => error.replace(/(alphabetic character), and end.*/, '$1'))
    assert.deepEqual(errors, [
      `${at}[kind].properties[kind].default: Invalid value: "%": ${result}: kind: Invalid value: "%": may have mixed case, but should otherwise match: ${label}`,
      `${at}[name].properties[metadata].properties[name].default: Invalid value: "%": ${result}: metadata.name: Invalid value: "%": may not contain '%'`,
      `${at}[wrongType].properties[metadata].properties[name].default: Invalid value: 5: ${result}: metadata: Invalid value: {"name":5}: ${wrongName}`,
      `${at}[limited].properties[kind].default: Unsupported value: "Pod": supported values: "Node"`,
      `${at}[whole].default.metadata: Invalid value: {"name":5}: ${wrongName}`,
    ])
  })
})

describe('schemas of definitions', () => {
  it('errors of structural schemas are in the order of kube-apiserver', () => {
    const odd = { type: 'object', properties: { b: {}, a: {} }, allOf: [{ title: 'odd' }] }
    assert.deepEqual(errorsOf(odd), [
      'properties[spec].allOf[0].title: Forbidden: must be empty to be structural',
      'properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
      'properties[spec].properties[b].type: Required value: must not be empty for specified object fields',
    ])
    const { spec, ...rest } = definition(odd)
    assert.deepEqual(structuralProblems({ ...rest, spec: { ...spec, preserveUnknownFields: true } } as never), [
      'spec.preserveUnknownFields: Invalid value: true: must be false',
      ...errorsOf(odd).map((error) => `spec.versions[0].schema.openAPIV3Schema.${error}`),
    ])
  })

  it('may stay non-structural with preserveUnknownFields, until a feature requires structural schemas', () => {
    const legacy = (spec: SchemaNode, preserveUnknownFields = true) => {
      const base = definition(spec)
      return { ...base, spec: { ...base.spec, preserveUnknownFields } }
    }
    const after = (now: ReturnType<typeof legacy>) => {
      const errors = new FieldErrors()
      customResourceDefinitions.strategy.validate?.(
        now as never,
        errors,
        hookContext(),
        legacy({ type: 'object', properties: { a: {} } }) as never,
      )
      return errors.list.map(({ field, message }) => `${field}: ${message}`.replace(start, ''))
    }
    const untyped = 'properties[spec].properties[a].type: Required value: must not be empty for specified object fields'
    assert.deepEqual(after(legacy({ type: 'object', properties: { a: {}, b: {} } })), [])
    assert.deepEqual(after(legacy({ type: 'object', properties: { a: {} } }, false)), [untyped])
    assert.deepEqual(after(legacy({ type: 'object', properties: { a: { 'x-kubernetes-preserve-unknown-fields': true }, b: {} } })), [
      untyped.replace('[a]', '[b]'),
    ])
    assert.deepEqual(after(legacy({ type: 'object', properties: { a: text({ default: 'b' }) } })), [
      'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
    ])
  })

  it('may share selectable fields at the top level only if all versions share the schema, as in kube-apiserver', () => {
    const errorsWith = (other: SchemaNode) => {
      const base = definition({ type: 'object', properties: { a: text() } })
      const selectableFields = [{ jsonPath: '.spec.a' }]
      const [first = assert.fail()] = base.spec.versions
      const second = { ...definition(other).spec.versions[0], name: 'v2', storage: false }
      const versions = [first, second].map((version) => ({ ...version, selectableFields }))
      const errors = new FieldErrors()
      customResourceDefinitions.strategy.validate?.({ ...base, spec: { ...base.spec, versions } } as never, errors, hookContext())
      return errors.list.map(({ field, message }) => `${field}: ${message}`)
    }
    assert.deepEqual(errorsWith({ type: 'object', properties: { a: text() } }), [])
    assert.deepEqual(errorsWith({ type: 'object', properties: { a: text(), b: text() } }), [
      'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
    ])
  })
})

describe('validation rules in schemas', () => {
  const at = 'properties[spec].x-kubernetes-validations'
  const shown = (rule: string, more = {}) =>
    JSON.stringify({ Rule: rule, Message: '', MessageExpression: '', Reason: null, FieldPath: '', OptionalOldSelf: null, ...more })

  it('compile against the types that schemas declare', () => {
    const schema = (rule: Rule): SchemaNode => ({ type: 'object', properties: { a: text({ maxLength: 9 }) }, ...rules(rule) })
    assert.deepEqual(errorsOf(schema({ rule: "self.a == 'x' && size(self.a) < 3" })), [])
    assert.deepEqual(errorsOf(schema({ rule: 'self.b == 1' })), [
      `${at}[0].rule: Invalid value: ${shown('self.b == 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
    ])
    assert.deepEqual(errorsOf(schema({ rule: 'self.a' })), [
      `${at}[0].rule: Invalid value: ${shown('self.a')}: cel expression must evaluate to a bool`,
    ])
    assert.deepEqual(errorsOf(schema({ rule: 'true', messageExpression: '1' })), [
      `${at}[0].messageExpression: Invalid value: ${shown('true', { MessageExpression: '1' })}: messageExpression must evaluate to a string`,
    ])
    assert.deepEqual(errorsOf(schema({ rule: 'true', optionalOldSelf: true })), [
      `${at}[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ])
  })

  it('may use fields named like CEL keywords', () => {
    const properties = { if: { type: 'integer' }, namespace: text() }
    assert.deepEqual(
      errorsOf({ type: 'object', properties, ...rules({ rule: "self.if > 0 && self.namespace != 'a' && self.__if__ > 0" }) }),
      [],
    )
  })

  it('are compiled for valid subschemas, even if other subschemas have errors', () => {
    const bad = { type: 'integer', ...rules({ rule: 'self.odd > 0' }) }
    const properties = { a: { type: 'object', properties: { b: bad }, uniqueItems: true }, c: bad }
    assert.deepEqual(
      errorsOf({ type: 'object', properties }).map((error) => error.split(': ').slice(0, 2).join(': ')),
      [
        'properties[spec].properties[a].uniqueItems: Forbidden',
        'properties[spec].properties[a].properties[b].x-kubernetes-validations[0].rule: Invalid value',
        'properties[spec].properties[c].x-kubernetes-validations[0].rule: Invalid value',
      ],
    )
    const [only = '', ...more] = errorsOf({ type: 'object', properties: { a: { ...bad, uniqueItems: true } } })
    assert.match(only, /uniqueItems: Forbidden/)
    assert.deepEqual(more, [])
  })

  it('can not use unknown fields that are preserved', () => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules({ rule: 'self.a == 1' }) }
    assert.match(errorsOf(open).join(), /undefined field 'a'/)
  })

  it('may use oldSelf only where old values can be correlated', () => {
    const frozen: SchemaNode = {
      type: 'object',
      required: ['name'],
      properties: { name: text({ maxLength: 9, ...rules({ rule: 'self == oldSelf' }) }) },
    }
    const list: SchemaNode = { type: 'array', maxItems: 9, items: frozen }
    assert.deepEqual(errorsOf({ ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }), [])
    assert.deepEqual(errorsOf(list), [
      'properties[spec].items.properties[name].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec]',
    ])
  })

  it('have cost limits, for each rule and in total', () => {
    const advice =
      '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
    const expensive: SchemaNode = {
      type: 'array',
      items: { type: 'array', items: { type: 'integer' } },
      ...rules({ rule: 'self.all(x, x.all(y, y > 0))' }),
    }
    const more = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of'
    assert.deepEqual(errorsOf(expensive), [
      `${at}[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
      `${at}[0].rule: Forbidden: ${more}`,
      `spec.validation.openAPIV3Schema: Forbidden: ${total} more than 100x ${advice}`,
    ])
    assert.deepEqual(
      errorsOf(expensive, expensive).slice(1),
      errorsOf(expensive).slice(2),
      'expensive rules of an unchanged schema are accepted',
    )
    const [first = ''] = errorsOf({
      type: 'array',
      maxItems: 5_000_000,
      items: { type: 'integer' },
      ...rules({ rule: 'self.all(x, x > 0)' }),
    })
    assert.match(first, /exceeds budget by factor of 2\.5x/)
  })

  it('are limited in number', () => {
    const crowded = text(rules(...Array.from({ length: 2001 }, (_, index) => ({ rule: `self != '${index}'` }))))
    assert.deepEqual(errorsOf({ type: 'object', properties: { a: crowded } }), [
      'properties[spec].properties[a].x-kubernetes-validations: Too many: 2001: must have at most 2000 items',
    ])
  })
})

it('scope and kind may change until the definition is established', () => {
  const changed = { ...definition(text()), spec: { ...definition(text()).spec, scope: 'Cluster' } }
  const errorsAfter = (status: string) => {
    const errors = new FieldErrors()
    const old = { ...definition(text()), status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status }] } }
    customResourceDefinitions.strategy.validate?.(changed as never, errors, hookContext(), old as never)
    return errors.list.map(({ field, message }) => `${field}: ${message}`)
  }
  assert.deepEqual(errorsAfter('False'), [])
  assert.deepEqual(errorsAfter('True'), ['spec.scope: Invalid value: "Cluster": field is immutable'])
})

it('new unrecognized formats give warnings', () => {
  const warnings = (spec: SchemaNode, old?: SchemaNode) =>
    customResourceDefinitions.strategy.warnings?.(definition(spec) as never, old && (definition(old) as never), hookContext())
  const odd: SchemaNode = {
    type: 'object',
    properties: { a: text({ format: 'odd' }), b: { type: 'integer', format: 'date' }, c: text({ format: 'date' }) },
  }
  assert.deepEqual(warnings(odd)?.toSorted(), ['unrecognized format "date"', 'unrecognized format "odd"'])
  assert.deepEqual(warnings(odd, text({ format: 'odd' })), ['unrecognized format "date"'])
})

it('an update of an established definition may not add an unreadable caBundle', () => {
  const pem = (label: string, bytes: string) => btoa(`-----BEGIN ${label}-----\n${btoa(bytes)}\n-----END ${label}-----\n`)
  // The outer structure of a certificate: a sequence of body, algorithm and signature.
  const [good, bad] = [pem('CERTIFICATE', '\x30\x06\x30\x00\x30\x00\x03\x00'), btoa('no certificates')]
  const withBundle = (caBundle: string, established = 'True') => {
    const base = definition(text())
    const webhook = { clientConfig: { url: 'https://a.test', caBundle }, conversionReviewVersions: ['v1'] }
    const status = { ...base.status, conditions: [{ type: 'Established', status: established }] }
    return { ...base, spec: { ...base.spec, conversion: { strategy: 'Webhook', webhook } }, status }
  }
  const errorsAfter = (now: string, before: string, established?: string) => {
    const errors = new FieldErrors()
    const old = withBundle(before, established)
    customResourceDefinitions.strategy.validate?.(withBundle(now) as never, errors, hookContext(), old as never)
    return errors.list.map(({ field, message }) => `${field}: ${message}`)
  }
  const why = 'unable to load root certificates: unable to parse bytes as PEM block'
  assert.deepEqual(errorsAfter(bad, good), [`spec.conversion.webhookClientConfig.caBundle: Invalid value: "${bad}": ${why}`])
  assert.deepEqual([...errorsAfter(good, bad), ...errorsAfter(bad, bad), ...errorsAfter(bad, good, 'False')], [])
  assert.match(errorsAfter(pem('CERTIFICATE', 'odd'), good)[0] ?? '', /failed to parse certificate: x509: malformed certificate$/)
  assert.match(errorsAfter(pem('PRIVATE KEY', 'odd'), good)[0] ?? '', /no valid certificate authority data seen$/)
})

it('patterns that are slow to compile are refused together, without compiling them', async () => {
  const slow = (index: number) => text({ pattern: `^${'[\\p{L}\\p{N}]{0,999}'.repeat(20)}${index}$` })
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, slow(index)]))
  const [error = '', ...more] = await assertCheap('a refusal without compilation', 1_000, () => errorsOf({ type: 'object', properties }))
  assert.match(error, /^spec\.validation\.openAPIV3Schema: Forbidden: patterns of the schema are too long, or repeat too much/)
  assert.deepEqual(more, [])
  assert.deepEqual(errorsOf(slow(1)), [])
})

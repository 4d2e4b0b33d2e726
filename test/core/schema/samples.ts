/** Small schemas with one field of every shape, and generated values of any schema. */

import {
  any,
  bool,
  bytes,
  double,
  duration,
  field,
  inline,
  int32,
  int64,
  intOrString,
  type Json,
  type JsonObject,
  list,
  type Message,
  map,
  message,
  microTime,
  pointer,
  quantity,
  required,
  type ScalarType,
  type Schema,
  string,
  time,
} from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'

const Reference = message('Reference', '', { name: field(1, string, '') })

export const Item: Message = message('Item', '', {
  name: required(1, string, ''),
  count: field(2, int32, ''),
  limit: pointer(3, int32, ''),
  children: field(
    4,
    list((): Message => Item),
    '',
  ),
})

export const Spec = message('Spec', '', {
  text: field(1, string, ''),
  mandatory: required(2, string, ''),
  flag: field(3, bool, ''),
  optionalFlag: pointer(4, bool, ''),
  size: field(5, int64, ''),
  ratio: pointer(6, double, ''),
  secret: field(7, bytes, ''),
  data: field(8, map(bytes), ''),
  amount: pointer(9, quantity, ''),
  limits: field(10, map(quantity), ''),
  port: field(11, intOrString, ''),
  items: required(12, list(Item), ''),
  byName: field(13, map(Item), ''),
  since: field(14, time, ''),
  until: pointer(15, time, ''),
  renewed: pointer(16, microTime, ''),
  timeout: pointer(17, duration, ''),
  nested: field(18, Reference, ''),
  optional: pointer(19, Reference, ''),
  extension: pointer(20, any, ''),
  always: field(21, any, ''),
  $ref: inline(22, message('Inlined', '', { inlined: field(1, string, ''), inlinedCount: field(2, int32, '') })),
  words: field(23, list(list(string), {}), ''),
  extra: field(24, map(list(string, { wrapper: true })), ''),
  numbers: field(25, list(int32), ''),
})

export const Meta = message('Meta', '', {
  name: field(1, string, ''),
  labels: field(2, map(string), ''),
  created: field(3, time, '', { omitZero: true }),
})

export const Thing = message('Thing', '', { metadata: field(1, Meta, ''), spec: field(2, Spec, '') }).with({ typeMeta: true })

const scalarSamples: Readonly<Record<ScalarType, Json>> = {
  string: 'text é',
  bool: true,
  int32: -7,
  int64: 4_294_967_299,
  double: 1.5,
  bytes: 'AAECAw==',
  time: '2024-02-29T12:34:56Z',
  microTime: '2024-02-29T12:34:56.123456Z',
  duration: '1h2m3.5s',
  quantity: '1536Mi',
  intOrString: '25%',
}

/** A value with every field set; recursion ends after two rounds. */
export function fullValue(schema: Schema, seen: readonly Message[] = []): Json {
  switch (schema.type) {
    case 'message': {
      if (seen.filter((each) => each === schema).length > 1) return {}
      const result: JsonObject = {}
      for (const [name, { schema: inner }] of schema.json) result[name] = fullValue(inner, [...seen, schema])
      return result
    }
    case 'list':
      return [fullValue(schema.items, seen), fullValue(schema.items, seen)]
    case 'map':
      return { a: fullValue(schema.values, seen), 'b/é': fullValue(schema.values, seen) }
    case 'any':
      return { kept: [1, null, { zero: 0 }] }
    default:
      return scalarSamples[schema.type]
  }
}

const scalarArbitraries: Readonly<Record<ScalarType, fc.Arbitrary<Json>>> = {
  string: fc.string({ maxLength: 5, unit: 'binary' }),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.base64String({ maxLength: 8 }),
  time: fc.constantFrom('0001-01-01T00:00:00Z', '2024-02-29T01:02:03.5+02:00', '1970-01-01T00:00:00Z'),
  microTime: fc.constantFrom('2024-02-29T01:02:03.500000+02:00', '1969-12-31T23:59:59.999999Z'),
  duration: fc.constantFrom('0', '1h', '-1.5s', '2us'),
  quantity: fc.oneof(fc.constantFrom('1Gi', '0.5', '1e3', '1000Mi', '+5', '1.500'), fc.integer()),
  intOrString: fc.oneof(fc.integer(), fc.string({ maxLength: 3 })),
}

/** Mostly valid values of the schema, sometimes noise. */
export function anyValue(schema: Schema, noise: fc.Arbitrary<Json>, depth = 0): fc.Arbitrary<Json> {
  const parts = (inner: Schema) => anyValue(inner, noise, depth + 1)
  const proper = (): fc.Arbitrary<Json> => {
    if (depth > 5) return fc.constant(null)
    switch (schema.type) {
      case 'message': {
        const members = Object.fromEntries([...schema.json].map(([name, { schema: inner }]) => [name, parts(inner)]))
        return fc.record({ ...members, unknown: noise }, { requiredKeys: [] }) as fc.Arbitrary<Json>
      }
      case 'list':
        return fc.array(parts(schema.items), { maxLength: 2 })
      case 'map':
        return fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'é', '1'), parts(schema.values), { maxKeys: 2 })
      case 'any':
        return noise
      default:
        return scalarArbitraries[schema.type]
    }
  }
  return fc.oneof({ weight: 300, arbitrary: proper() }, { weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: noise })
}

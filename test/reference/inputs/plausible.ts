/** Values that a field of this schema could have. */
import type { Field, Json, JsonObject, Schema } from '../../../core/schema/model.ts'

const scalars: { readonly [type: string]: Json } = {
  string: 'x',
  bytes: 'eA==',
  bool: true,
  int32: 1,
  int64: 1,
  double: 1,
  time: '2026-01-01T00:00:00Z',
  microTime: '2026-01-01T00:00:00.000000Z',
  duration: '1s',
  quantity: '1',
  intOrString: 1,
  any: {},
}

/** Texts of fields with these names. */
const texts: { readonly [name: string]: string } = {
  image: 'example/main',
  mountPath: '/data',
  devicePath: '/dev/x',
  path: '/x',
  driver: 'any.example.com',
  provisioner: 'example.com/any',
  topologyKey: 'topology.kubernetes.io/zone',
  key: 'example.com/key',
  apiVersion: 'apps/v1',
  ip: '192.0.2.1',
  url: 'https://hook.example.com/',
  expression: 'true',
  schedule: '0 0 * * *',
  kind: 'Deployment',
  operator: 'Exists',
}

/** The field's first enumerated value, or a text by its name; only what must be there in messages. */
export function plausible(schema: Schema, name = ''): Json {
  const { facets } = schema
  const first = facets?.enum?.[0] ?? facets?.publishedEnum?.[0] ?? facets?.openEnum?.[0]
  if (first !== undefined) return first
  switch (schema.type) {
    case 'message':
      return withRequired(schema.json)
    case 'list':
      return [plausible(schema.items, name)]
    case 'map':
      return { key: plausible(schema.values) }
    case 'string':
      return texts[name] ?? 'x'
    default:
      return scalars[schema.type] ?? null
  }
}

function withRequired(fields: ReadonlyMap<string, Field>): JsonObject {
  const value: JsonObject = {}
  for (const [name, field] of fields) if (field.required || field.notEmpty) value[name] = plausible(field.schema, name)
  return value
}

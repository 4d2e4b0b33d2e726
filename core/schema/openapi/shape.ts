/** What OpenAPI validation needs of a schema, whether declared as structure or as condition. */
import type { Condition, Facets, Schema } from '../model.ts'

export interface Shape {
  /** OpenAPI types; empty: any. */
  readonly types: readonly string[]
  readonly facets: Facets
  /** Made on first use: most objects have few of the fields that a schema has. */
  readonly properties: ReadonlyMap<string, () => Shape>
  /** Shape of keys that are not properties. */
  readonly additional?: Shape
  readonly items?: Shape
}

const typeNames = {
  message: ['object'],
  map: ['object'],
  list: ['array'],
  any: [],
  string: ['string'],
  bytes: ['string'],
  time: ['string'],
  microTime: ['string'],
  duration: ['string'],
  quantity: ['integer', 'string'],
  bool: ['boolean'],
  int32: ['integer'],
  int64: ['integer'],
  double: ['number'],
  intOrString: ['integer', 'string'],
} as const satisfies Record<Schema['type'], readonly string[]>

const none: ReadonlyMap<string, () => Shape> = new Map()
const noFacets: Facets = {}
const anything: Shape = { types: [], facets: noFacets, properties: none }

/** The shape of a condition. */
export function shapeOfCondition({ types, facets, properties, additional, items }: Condition): Shape {
  return {
    types,
    facets,
    properties: properties ? new Map([...properties].map(([name, each]) => [name, () => shapeOfCondition(each)])) : none,
    ...(additional && { additional: shapeOfCondition(additional) }),
    ...(items && { items: shapeOfCondition(items) }),
  }
}

/** The shape of a schema. Messages with fixed structure have the shape that the schema declares for them, if any. */
export function shapeOf(schema: Schema): Shape {
  const { facets = noFacets } = schema
  const types = facets.untyped ? [] : typeNames[schema.type]
  switch (schema.type) {
    case 'message': {
      if (facets.declared) return shapeOfCondition(facets.declared)
      if (!schema.open) return anything
      const properties = new Map([...schema.json].map(([name, field]) => [name, () => shapeOf(field.schema)]))
      return { types, facets, properties, ...(schema.additional && { additional: shapeOf(schema.additional) }) }
    }
    case 'list':
      return { types, facets, properties: none, items: shapeOf(schema.items) }
    case 'map':
      return { types, facets, properties: none, additional: shapeOf(schema.values) }
    default:
      return { types, facets, properties: none }
  }
}

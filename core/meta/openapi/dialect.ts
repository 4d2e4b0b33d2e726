import type { JsonObject, ScalarType } from '../../schema/model.ts'

/** A scalar with a model of its own, named relative to the machinery package. */
export interface ScalarModel {
  readonly name: string
  readonly schema: JsonObject
}

/** Differences between OpenAPI versions. */
export interface Dialect {
  /** Prefix of model references. */
  readonly models: string
  /** Wraps a reference so that other keywords can be added. */
  readonly besides: (reference: JsonObject) => JsonObject
  readonly defaults: boolean
  /** Whether enums are included. */
  readonly enums: boolean
  readonly scalars: { readonly [T in ScalarType]?: ScalarModel }
  /** Schemas of custom resources are reduced to what clients of this version support. */
  readonly downgrades: boolean
}

const time: JsonObject = { type: 'string', format: 'date-time' }
const scalars = {
  time: { name: 'apis.meta.v1.Time', schema: time },
  microTime: { name: 'apis.meta.v1.MicroTime', schema: time },
  duration: { name: 'apis.meta.v1.Duration', schema: { type: 'string' } },
} satisfies Dialect['scalars']
const quantity = (schema: JsonObject): ScalarModel => ({ name: 'api.resource.Quantity', schema })
const intOrString = (schema: JsonObject): ScalarModel => ({ name: 'util.intstr.IntOrString', schema })

/** Swagger 2.0, `/openapi/v2`. */
export const v2: Dialect = {
  models: '#/definitions/',
  besides: (reference) => reference,
  defaults: false,
  enums: true,
  scalars: { ...scalars, quantity: quantity({ type: 'string' }), intOrString: intOrString({ type: 'string', format: 'int-or-string' }) },
  downgrades: true,
}

/** OpenAPI 3.0, `/openapi/v3`: no keywords may be siblings of `$ref`. */
export const v3: Dialect = {
  models: '#/components/schemas/',
  besides: (reference) => ({ allOf: [reference] }),
  defaults: true,
  enums: true,
  scalars: {
    ...scalars,
    quantity: quantity({ oneOf: [{ type: 'string' }, { type: 'number' }] }),
    intOrString: intOrString({ format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }),
  },
  downgrades: false,
}

const description = 'Bearer Token authentication'
const place = { name: 'authorization', in: 'header' }

/** Security scheme of all documents, with the members of each version in the reference's order. */
export const bearerToken = {
  v2: { BearerToken: { description, type: 'apiKey', ...place } },
  v3: { BearerToken: { type: 'apiKey', description, ...place } },
} as const

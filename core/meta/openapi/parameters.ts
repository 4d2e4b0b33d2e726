import type { JsonObject, Message, Schema } from '../../schema/model.ts'
import { plainScalars } from './keywords.ts'

export interface Parameter {
  readonly in: 'path' | 'query'
  readonly name: string
  readonly description: string
  readonly type: string
}

/** Query parameters from the fields of kinds such as `ListOptions`. Object fields and gated fields are left out. */
export function queryParameters(options: readonly Message[]): readonly Parameter[] {
  const parameters = new Map<string, Parameter>()
  for (const [name, { schema, gate, doc }] of options.flatMap(({ json }) => [...json])) {
    const type = typeOf(schema)
    if (type !== undefined && gate === undefined) parameters.set(name, { in: 'query', name, description: doc, type })
  }
  return [...parameters.values()]
}

/** Lists are given by repeating the parameter. */
function typeOf(schema: Schema): string | undefined {
  if (schema.type === 'list') return typeOf(schema.items)
  if (schema.type === 'message' || schema.type === 'map' || schema.type === 'any') return undefined
  const { type } = plainScalars[schema.type]
  return typeof type === 'string' ? type : 'string'
}

const path = (name: string, description: string): Parameter => ({ in: 'path', name, description, type: 'string' })

export const namespaceParameter = path('namespace', 'Namespace of the object.')
export const nameParameter = (kind: string) => path('name', `Name of the ${kind}.`)
export const pathParameter = path('path', 'Path at the target.')
export const pretty: Parameter = {
  in: 'query',
  name: 'pretty',
  description: 'Whether the response is indented. Default: only for curl, wget and browsers.',
  type: 'string',
}

/** Swagger 2.0: the type is part of the parameter. */
export const swaggerParameter = ({ type, ...rest }: Parameter): JsonObject => ({ ...common(rest), type, uniqueItems: true })

/** OpenAPI 3.0: the type is in a schema. */
export const openApiParameter = ({ type, ...rest }: Parameter): JsonObject => ({ ...common(rest), schema: { type, uniqueItems: true } })

const common = ({ in: place, name, description }: Omit<Parameter, 'type'>): JsonObject => ({
  name,
  in: place,
  ...(description !== '' && { description }),
  ...(place === 'path' && { required: true }),
})

import type { Message, Schema } from '../../schema/model.ts'
import { plainScalars } from './keywords.ts'

export interface Parameter {
  readonly in: 'path' | 'query'
  readonly name: string
  readonly description: string
  readonly type: string
}

/** Query parameters from the fields of kinds such as `ListOptions`. Objects and times are left out, fields of disabled gates are not. */
export function queryParameters(options: readonly Message[], except: readonly string[] = []): readonly Parameter[] {
  const parameters = new Map<string, Parameter>()
  for (const [name, { schema, doc }] of options.flatMap(({ json }) => [...json])) {
    const type = except.includes(name) ? undefined : typeOf(schema)
    if (type !== undefined) parameters.set(name, { in: 'query', name, description: doc, type })
  }
  return [...parameters.values()]
}

/** Lists are given by repeating the parameter. */
function typeOf(schema: Schema): string | undefined {
  if (schema.type === 'list') return typeOf(schema.items)
  if (schema.type === 'message' || schema.type === 'map' || schema.type === 'any' || schema.type === 'time') return undefined
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

const keyOf = ({ name, in: place }: Parameter) => `${name} ${place}`

/** By name, then place. */
export const sortParameters = (parameters: readonly Parameter[]): readonly Parameter[] =>
  [...parameters].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

/** The parameters that all lists have in common. */
export function commonParameters([first = [], ...others]: readonly (readonly Parameter[])[]): readonly Parameter[] {
  const keys = others.map((parameters) => new Set(parameters.map(keyOf)))
  return first.filter((parameter) => keys.every((known) => known.has(keyOf(parameter))))
}

/** The parameters that are not in `common`. */
export function ownParameters(parameters: readonly Parameter[], common: readonly Parameter[]): readonly Parameter[] {
  const known = new Set(common.map(keyOf))
  return parameters.filter((parameter) => !known.has(keyOf(parameter)))
}

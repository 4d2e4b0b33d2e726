import type { JsonObject } from '../../schema/model.ts'
import type { GroupVersionKind } from './kinds.ts'
import { commonParameters, ownParameters, type Parameter, sortParameters } from './parameters.ts'

/** In the order of operations within a path. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

export type Method = (typeof methods)[number]

/** An operation, independent of the OpenAPI version. */
export interface Operation {
  readonly method: Method
  readonly id: string
  readonly description: string
  readonly tag: string
  /** Value of `x-kubernetes-action`; absent for discovery. */
  readonly action?: string
  readonly kind?: GroupVersionKind
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly schema: JsonObject; readonly required: boolean }
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly responses: readonly { readonly code: string; readonly description: string; readonly schema?: JsonObject }[]
}

export interface PathItem {
  readonly path: string
  /** Parameters of all operations of the path. */
  readonly parameters: readonly Parameter[]
  /** With their own parameters only. */
  readonly operations: readonly Operation[]
}

/** Moves the parameters that all operations have in common to the path. */
export function pathItem(path: string, operations: readonly Operation[]): PathItem {
  const common = commonParameters(operations.map(({ parameters }) => parameters))
  return {
    path,
    parameters: sortParameters(common),
    operations: [...operations]
      .sort((a, b) => methods.indexOf(a.method) - methods.indexOf(b.method))
      .map((operation) => ({ ...operation, parameters: sortParameters(ownParameters(operation.parameters, common)) })),
  }
}

const descriptions: { readonly [code: string]: string } = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

/** Responses with the same body under several codes, plus 401. */
export function responses(schema: JsonObject, ...codes: readonly number[]): Operation['responses'] {
  return [
    ...codes.map((code) => ({ code: String(code), description: descriptions[code] ?? '', schema })),
    { code: '401', description: 'Unauthorized' },
  ]
}

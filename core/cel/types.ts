/** The types of CEL. */

export type CelKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'parameter'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint'

export interface CelType {
  readonly kind: CelKind
  /** Name in expressions, such as `map`, `google.protobuf.Timestamp` or `net.IP`. */
  readonly name: string
  readonly parameters: readonly CelType[]
  /** Objects: a field by its name in expressions; undefined: no such field. */
  field?(name: string): CelField | undefined
  /** Objects: the names of all fields. */
  readonly fieldNames?: readonly string[]
  /** Maximum items, entries or characters, as declared by a schema; for cost estimates. */
  readonly maxElements?: number
  /** Identity of list items, as declared by a schema. */
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listKeys?: readonly string[]
  /** Conversion of a decoded API value that is not a CEL value. */
  readonly stored?: Stored
}

/** Scalars of decoded API objects that differ from CEL values. */
export type Stored = 'double' | 'bytes' | 'timestamp' | 'duration' | 'date'

export interface CelField {
  readonly type: CelType
  /** JSON name, if it differs from the name in expressions. */
  readonly json: string
  readonly default?: unknown
}

const simple = (kind: CelKind, name: string = kind): CelType => ({ kind, name, parameters: [] })

export const boolType = simple('bool')
export const bytesType = simple('bytes')
export const doubleType = simple('double')
export const durationType = simple('duration', 'google.protobuf.Duration')
export const dynType = simple('dyn')
export const errorType = simple('error', '*error*')
export const intType = simple('int')
export const nullType = simple('null', 'null_type')
export const stringType = simple('string')
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp')
export const typeType = simple('type')
export const uintType = simple('uint')

export const listType = (items: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [items] })
export const mapType = (keys: CelType, values: CelType): CelType => ({ kind: 'map', name: 'map', parameters: [keys, values] })
export const opaqueType = (name: string, ...parameters: readonly CelType[]): CelType => ({ kind: 'opaque', name, parameters })
export const optionalType = (value: CelType): CelType => opaqueType('optional_type', value)
export const parameterType = (name: string): CelType => ({ kind: 'parameter', name, parameters: [] })
export const typeOfType = (type: CelType): CelType => ({ kind: 'type', name: 'type', parameters: [type] })
/** An opaque type that only functions create and read, such as `kubernetes.URL`. */
export const abstractType = (name: string): CelType => ({ kind: 'object', name, parameters: [], field: () => undefined, fieldNames: [] })

/** An object type. Its name must be unique in an environment. */
export function objectType(name: string, fields: { readonly [field: string]: CelType }): CelType {
  const byName = new Map(Object.entries(fields).map(([json, type]): [string, CelField] => [json, { type, json }]))
  return { kind: 'object', name, parameters: [], field: (field) => byName.get(field), fieldNames: [...byName.keys()] }
}

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type'

/** Whether two types are equal. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false
  if (a.kind !== 'list' && a.kind !== 'map' && a.name !== b.name) return false
  return a.parameters.every((each, index) => sameType(each, b.parameters[index] as CelType))
}

/** The type in error messages, such as `list(string)`. */
export function formatType(type: CelType): string {
  if (type.kind === 'error') return '!error!'
  if (type.kind === 'null') return 'null'
  if (type.kind === 'timestamp' || type.kind === 'duration') return type.kind
  if (type.parameters.length === 0) return type.name
  return `${type.name}(${type.parameters.map(formatType).join(', ')})`
}

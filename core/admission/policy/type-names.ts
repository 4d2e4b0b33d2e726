import { CelMap, CelObject } from '../../cel/values/values.ts'

/**
 * Finds objects that an expression constructs for the wrong field, such as `Object.spec.a{}` in `Object.spec{b: …}`: type names contain the
 * path of the field.
 */
export function misplaced(value: unknown, path?: string): string[] {
  if (value instanceof CelObject) {
    const { name } = value.celType
    const expected = path ?? name
    const fault =
      name === expected
        ? []
        : [`unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`]
    return [...fault, ...Object.entries(value.raw).flatMap(([field, each]) => misplaced(each, `${expected}.${field}`))]
  }
  if (Array.isArray(value)) return value.flatMap((each) => misplaced(each, path))
  if (value instanceof CelMap) return [...value.entries.values()].flatMap(([, each]) => misplaced(each, path))
  return []
}

import * as z from 'zod/mini'
import { converted, fileKind } from '../../config/files/kind.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { type AllowedValues, allowedValues, allowedValuesProblem } from './selection.ts'

/** A file of allowed label values: `metric,label` to values that are separated by commas. */
export const labelValuesFile = converted(
  fileKind({
    kinds: [],
    schema: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    validate(file, errors) {
      const problem = allowedValuesProblem(Object.keys(file))
      if (problem !== undefined) errors.add('FieldValueInvalid', FieldPath.root, Object.keys(file), problem)
    },
  }),
  (file): AllowedValues => allowedValues(new Map(Object.entries(file).map(([key, values]) => [key, String(values)]))),
)

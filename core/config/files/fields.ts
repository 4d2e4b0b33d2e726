/**
 * Field types of configuration files. As in Go, missing fields and null have the zero value. Their types name the output alone, which keeps the
 * package's declarations short.
 */

import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'
import { DecodeError } from '../../schema/decode-error.ts'
import { parseDuration } from '../duration.ts'
import { type FileProblem, schemaProblems } from './error.ts'

/** A field with content of a type. */
type Field<T> = z.ZodMiniType<T>
type Content<F extends z.ZodMiniType> = z.output<F>

const { localeError } = en()

/** The content of a file, or what is wrong with it. */
export function readFields<F extends z.ZodMiniType>(
  field: F,
  value: unknown,
): { readonly content: Content<F> } | { readonly problems: readonly FileProblem[] } {
  const { success, data, error } = field.safeParse(value, { error: localeError })
  return success ? { content: data } : { problems: schemaProblems(error.issues) }
}

/** The content in another form. */
export const mapped = <F extends z.ZodMiniType, T>(field: F, convert: (content: Content<F>) => T): Field<T> =>
  z.pipe(field, z.transform(convert))

/** Undefined when missing or null. */
export const optional = <F extends z.ZodMiniType>(field: F): Field<Content<F> | undefined> =>
  mapped(z.nullish(field), (value) => value ?? undefined)

/** A string; empty when missing. */
export const text: Field<string> = mapped(z.nullish(z.string()), (value) => value ?? '')
export const optionalText: Field<string | undefined> = optional(z.string())
/** False when missing. */
export const bool: Field<boolean> = mapped(z.nullish(z.boolean()), (value) => value ?? false)
export const optionalBool: Field<boolean | undefined> = optional(z.boolean())
export const optionalInt32: Field<number | undefined> = optional(z.int32())

/** Milliseconds; undefined when missing. */
export const optionalDuration: Field<number | undefined> = z.pipe(
  z.nullish(z.string()),
  z.transform((value, context) => {
    if (value === null || value === undefined) return undefined
    try {
      return parseDuration(value)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      context.issues.push({ code: 'custom', message: 'must be a duration such as 1m0s', input: value })
      return z.NEVER
    }
  }),
)

/** Empty when missing. */
export const list = <F extends z.ZodMiniType>(item: F): Field<Content<F>[]> => mapped(z.nullish(z.array(item)), (value) => value ?? [])

/** A structure; all zero values when missing. */
export function struct<S extends z.core.$ZodShape>(shape: S): Field<z.output<z.ZodMiniObject<S, z.core.$strict>>> {
  return z.pipe(
    z.transform((value: unknown) => value ?? {}),
    z.strictObject(shape),
  ) as unknown as Field<z.output<z.ZodMiniObject<S, z.core.$strict>>>
}

/** Every file has these; the loader has validated both. */
export const typeMeta = { apiVersion: z.string(), kind: z.string() }

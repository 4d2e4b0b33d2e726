/**
 * Field types of configuration files. As in Go, missing fields and null have the zero value. Their types name the output alone, which keeps the
 * package's declarations short.
 */
import * as z from 'zod'
import { DecodeError } from '../../schema/decode-error.ts'
import { parseDuration } from '../duration.ts'

/** A string; empty when missing. */
export const text: z.ZodType<string> = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

export const optionalText: z.ZodType<string | undefined> = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)

export const optionalBool: z.ZodType<boolean | undefined> = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined)

/** False when missing. */
export const bool: z.ZodType<boolean> = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

export const optionalInt32: z.ZodType<number | undefined> = z
  .int32()
  .nullish()
  .transform((value) => value ?? undefined)

/** Milliseconds; undefined when missing. */
export const optionalDuration: z.ZodType<number | undefined> = z
  .string()
  .nullish()
  .transform((value, context) => {
    if (value === null || value === undefined) return undefined
    try {
      return parseDuration(value)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      context.addIssue({ code: 'custom', message: 'must be a duration such as 1m0s' })
      return z.NEVER
    }
  })

/** Empty when missing. */
export function list<S extends z.ZodType>(item: S): z.ZodType<z.output<S>[]> {
  return z
    .array(item)
    .nullish()
    .transform((value) => value ?? [])
}

/** Undefined when missing or null. */
export function optional<S extends z.ZodType>(schema: S): z.ZodType<z.output<S> | undefined> {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** A structure; all zero values when missing. */
export function struct<S extends z.ZodRawShape>(shape: S): z.ZodType<z.output<z.ZodObject<S, z.core.$strict>>> {
  const object = z.strictObject(shape)
  return z.preprocess((value) => value ?? {}, object)
}

/** Every file has these; the loader has validated both. */
export const typeMeta = { apiVersion: z.string(), kind: z.string() }

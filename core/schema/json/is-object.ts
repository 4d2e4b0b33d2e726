import type { JsonObject } from '../model.ts'

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a check says of each object. */
import type { Manifest } from './manifests.ts'

export interface Problem {
  /** Of the file, counted from 1. */
  readonly line: number
  /** As the server says it. */
  readonly message: string
}

export interface Verdict {
  readonly manifest: Manifest
  /** `skipped`: there is no definition of its kind. */
  readonly outcome: 'valid' | 'invalid' | 'skipped'
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

/** A Status with what the server refused. */
export interface Refusal {
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] }
}

/** Errors of strict decoding name fields in their text only. */
const strictError = /(?:unknown|duplicate) field "((?:[^"\\]|\\.)*)"/g

/** Each cause of a refusal with its line. */
export function problemsOf({ message = '', details }: Refusal, manifest: Manifest): Problem[] {
  const causes = (details?.causes ?? []).filter(({ field }) => field !== undefined && field !== '')
  if (causes.length > 0)
    return causes.map(({ field = '', message: why = '' }) => ({ line: manifest.lineOf(field), message: `${field}: ${why}` }))
  const strict = [...message.matchAll(strictError)]
  if (strict.length > 0) return strict.map(([text, field = '']) => ({ line: manifest.lineOf(field), message: text }))
  return [{ line: manifest.line, message }]
}

/** Texts of `Warning` headers (RFC 9110, 5.5; code 299). */
export const warningsOf = (header: string | null): string[] =>
  [...(header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'))

export interface ObjectName {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** Kind and name of an object, as messages show them. */
export function nameOf({ kind, object }: Manifest): ObjectName {
  const { name, generateName, namespace } = (object['metadata'] ?? {}) as { name?: string; generateName?: string; namespace?: string }
  return { kind, name: name ?? (generateName === undefined ? '' : `${generateName}*`), ...(namespace !== undefined && { namespace }) }
}

export const shownName = ({ kind, namespace, name }: ObjectName) => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`

import type * as z from 'zod/mini'
import type { Platform } from '../../platform.ts'
import type { Egress } from '../../ports.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { isObject } from '../../schema/json/is-object.ts'
import type { FeatureGates } from '../feature-gates.ts'
import { ourWords } from '../words.ts'
import { ConfigurationFileError } from './error.ts'
import { readFields } from './fields.ts'

export interface FileContext {
  readonly platform: Platform
  /** Path of the file, to resolve relative paths. */
  readonly path: string
  /** This server's own token issuers, which no authenticator may use. */
  readonly ownIssuers: readonly string[]
  /** Flag --encryption-provider-config-automatic-reload. */
  readonly automaticReload: boolean
  /** Traffic classes with an egress selection (--egress-selector-config-file); undefined: there is no such file. */
  readonly egress: readonly Egress[] | undefined
  readonly gates: Pick<FeatureGates, 'enabled'>
}

/** A kind of configuration file as data: versions, fields, and validation. */
interface FileKindOptions<S extends z.ZodMiniType> {
  /** Registered kinds with the same content, the preferred one first; none: the file has neither kind nor version. */
  readonly kinds: readonly RegisteredKind[]
  readonly schema: S
  /** Fields that may also be spelled as in Platform.wordAliases. */
  readonly aliased?: readonly string[]
  /** Validates a file whose fields have the right types. */
  readonly validate: (file: z.output<S>, errors: FieldErrors, context: FileContext) => void
  /** Resolves values that depend on the file's location. */
  readonly complete?: (file: z.output<S>, context: FileContext) => z.output<S>
}

export interface FileKind<T> {
  readonly kinds: readonly RegisteredKind[]
  /**
   * Returns the content: defaults applied, durations in milliseconds, missing lists empty.
   * @throws ConfigurationFileError with all problems.
   */
  load(value: object, context: FileContext): T
}

/** A kind and its registered versions, with `<domain>` as placeholder; the preferred one first. */
export interface RegisteredKind {
  readonly kind: string
  readonly versions: readonly string[]
}

/** Validates kind and version (first kind preferred; no kinds: any object) and returns the value. @throws ConfigurationFileError */
export function validateKind(
  value: unknown,
  kinds: readonly RegisteredKind[],
  { path, platform }: Pick<FileContext, 'path' | 'platform'>,
): Record<string, unknown> {
  const fail = (field: string, message: string) => new ConfigurationFileError(path, [{ field, message }])
  const [preferred] = kinds
  if (!isObject(value)) throw fail('', preferred ? `must be an object of kind ${preferred.kind}` : 'must be an object')
  if (preferred === undefined) return value
  const { apiVersion, kind } = value
  if (typeof kind !== 'string' || kind === '') throw fail('kind', 'Required value')
  if (typeof apiVersion !== 'string' || apiVersion === '') throw fail('apiVersion', 'Required value')
  const named = kinds.filter((each) => each.kind === kind)
  if (named.length === 0) throw fail('kind', `expected ${preferred.kind}, got ${kind}`)
  const versions = named.flatMap((each) => each.versions.map((version) => platform.name(version)))
  if (!versions.includes(apiVersion)) {
    const use = kind === preferred.kind ? versions[0] : `${preferred.kind} of ${platform.name(preferred.versions[0] ?? '')}`
    throw fail('apiVersion', `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; use ${use}`)
  }
  return value
}

/** Renames the given fields to our spelling, at any depth. */
function renamed(value: unknown, names: readonly string[], platform: Platform): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names, platform))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => {
    const ours = ourWords(key, platform)
    return [names.includes(ours) ? ours : key, renamed(each, names, platform)]
  })
  return Object.fromEntries(entries)
}

export function fileKind<S extends z.ZodMiniType>({
  kinds,
  schema,
  aliased,
  validate,
  complete,
}: FileKindOptions<S>): FileKind<z.output<S>> {
  return {
    kinds,
    load(value, context) {
      const read = readFields(schema, aliased ? renamed(value, aliased, context.platform) : value)
      if ('problems' in read) throw new ConfigurationFileError(context.path, read.problems)
      const { content } = read
      const errors = new FieldErrors()
      validate(content, errors, context)
      if (errors.list.length > 0) throw new ConfigurationFileError(context.path, errors.list)
      return complete?.(content, context) ?? content
    },
  }
}

/** The kind with its content in another form. */
export const converted = <T, R>({ kinds, load }: FileKind<T>, convert: (file: T) => R): FileKind<R> => ({
  kinds,
  load: (value, context) => convert(load(value, context)),
})

import type * as z from 'zod'
import type { Platform } from '../../platform.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import type { FeatureGates } from '../feature-gates.ts'
import { ourWords } from '../words.ts'
import { ConfigurationFileError, schemaProblems } from './error.ts'

export interface FileContext {
  readonly platform: Platform
  /** Path of the file, for what it names relative to itself. */
  readonly path: string
  /** Issuers of this server's own tokens, which no other authenticator may claim. */
  readonly ownIssuers: readonly string[]
  /** --encryption-provider-config-automatic-reload */
  readonly automaticReload: boolean
  /** Whether outgoing connections are told apart (--egress-selector-config-file). */
  readonly egress: boolean
  readonly gates: Pick<FeatureGates, 'enabled'>
}

/** A kind of configuration file as a row: where it is registered, its fields, and the rules between them. */
interface FileKindOptions<S extends z.ZodType> {
  /** Groups and versions, with `<domain>` for the domain; the preferred one first. */
  readonly versions: readonly string[]
  /** Another kind and version under which old files say the same. */
  readonly legacy?: LegacyKind
  readonly schema: S
  /** Fields that may also have the other spelling of Platform.wordAliases. */
  readonly aliased?: readonly string[]
  /** Adds what is wrong with a file whose fields all have the right types. */
  readonly check: (file: z.output<S>, errors: FieldErrors, context: FileContext) => void
  /** Fills in what depends on the place of the file. */
  readonly complete?: (file: z.output<S>, context: FileContext) => z.output<S>
}

interface LegacyKind {
  readonly kind: string
  readonly apiVersion: string
}

export interface FileKind<T> {
  readonly versions: readonly string[]
  readonly legacy?: LegacyKind
  /** @throws ConfigurationFileError with every problem found. */
  load(value: object, context: FileContext): T
}

/** The value with our spelling of the named fields, wherever they are. */
function renamed(value: unknown, names: readonly string[], platform: Platform): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names, platform))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => {
    const ours = ourWords(key, platform)
    return [names.includes(ours) ? ours : key, renamed(each, names, platform)]
  })
  return Object.fromEntries(entries)
}

export function fileKind<S extends z.ZodType>({
  versions,
  legacy,
  schema,
  aliased,
  check,
  complete,
}: FileKindOptions<S>): FileKind<z.output<S>> {
  return {
    versions,
    ...(legacy && { legacy }),
    load(value, context) {
      const decoded = schema.safeParse(aliased ? renamed(value, aliased, context.platform) : value)
      if (!decoded.success) throw new ConfigurationFileError(context.path, schemaProblems(decoded.error.issues))
      const errors = new FieldErrors()
      check(decoded.data, errors, context)
      if (errors.list.length > 0) throw new ConfigurationFileError(context.path, errors.list)
      return complete?.(decoded.data, context) ?? decoded.data
    },
  }
}

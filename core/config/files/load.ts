/** Loads configuration files, YAML or JSON, strictly: unknown fields are errors. */
import { parseDocument } from 'yaml'
import type { Platform } from '../../platform.ts'
import { messageOf } from '../../schema/message-of.ts'
import { parseFeatureGates } from '../feature-gates.ts'
import { ConfigurationFileError } from './error.ts'
import { type FileContext, type FileKind, validateKind } from './kind.ts'

/** Maximum uses of YAML aliases, which bounds the expansion of a hostile file. */
const maxAliasCount = 100
const maxLength = 3 * 1024 * 1024

/** Parses a YAML or JSON text. @throws ConfigurationFileError with all problems. */
export function parseText(text: string, path: string): unknown {
  const fail = (message: string) => new ConfigurationFileError(path, [{ field: '', message }])
  if (text.length > maxLength) throw fail(`must not be longer than ${maxLength} characters`)
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
    const problems = document.errors.map(({ message, pos }) => ({
      field: '',
      message: `line ${text.slice(0, pos[0]).split('\n').length}: ${message.replace(/\s+/g, ' ')}`,
    }))
    if (problems.length > 0) throw new ConfigurationFileError(path, problems)
    return document.toJS({ maxAliasCount })
  } catch (error) {
    if (error instanceof ConfigurationFileError) throw error
    // The parser recurses: deep nesting overflows the stack.
    throw fail(error instanceof RangeError ? 'is nested too deeply' : messageOf(error))
  }
}

/** What the validation of a file depends on. */
export type FileOptions = Partial<Pick<FileContext, 'ownIssuers' | 'automaticReload' | 'egress' | 'gates'>>

/**
 * Loads a configuration file. `path` is used in errors and to resolve relative paths.
 * @throws ConfigurationFileError with all problems.
 */
export function loadFile<T>(kind: FileKind<T>, text: string, path: string, platform: Platform, options: FileOptions = {}): T {
  return loadContent(kind, parseText(text, path), path, platform, options)
}

/** As `loadFile`, from what the file contains. */
export function loadContent<T>(kind: FileKind<T>, content: unknown, path: string, platform: Platform, options: FileOptions = {}): T {
  const file = validateKind(content, kind.kinds, { path, platform })
  return kind.load(file, {
    platform,
    path,
    ownIssuers: options.ownIssuers ?? [],
    automaticReload: options.automaticReload ?? false,
    egress: options.egress,
    gates: options.gates ?? parseFeatureGates([], platform),
  })
}

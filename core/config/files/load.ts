/** Loads configuration files, YAML or JSON, strictly: unknown fields are errors. */
import type { Platform } from '../../platform.ts'
import { readYaml, YamlError } from '../../schema/yaml/reader.ts'
import { parseFeatureGates } from '../feature-gates.ts'
import { ConfigurationFileError } from './error.ts'
import { type FileContext, type FileKind, validateKind } from './kind.ts'

const maxLength = 3 * 1024 * 1024

/** Parses a YAML or JSON text, as the reference does: YAML 1.1. @throws ConfigurationFileError with all problems. */
export function parseText(text: string, path: string): unknown {
  const fail = (messages: readonly string[]) =>
    new ConfigurationFileError(
      path,
      messages.map((message) => ({ field: '', message })),
    )
  if (text.length > maxLength) throw fail([`must not be longer than ${maxLength} characters`])
  const repeated: string[] = []
  const value = parsed(text, repeated, ({ message }) =>
    fail([message.replace(/^(?:yaml|json): /, '').replace(/single document$/, '$&, not multiple documents')]),
  )
  if (repeated.length > 0) throw fail(repeated)
  return value
}

function parsed(text: string, repeated: string[], failure: (error: YamlError) => Error): unknown {
  try {
    return readYaml({ text }, { repeated: (key, line) => void repeated.push(`line ${line + 1}: Map keys must be unique: ${key}`) })
  } catch (error) {
    throw error instanceof YamlError ? failure(error) : error
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

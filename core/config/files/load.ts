/** Loads configuration files, YAML or JSON, strictly: unknown fields are errors. */
import { parseDocument } from 'yaml'
import type { Platform } from '../../platform.ts'
import { messageOf } from '../../schema/message-of.ts'
import { parseFeatureGates } from '../feature-gates.ts'
import { admissionConfiguration } from './admission.ts'
import { auditPolicy } from './audit-policy.ts'
import { authenticationConfiguration } from './authentication.ts'
import { authorizationConfiguration } from './authorization.ts'
import { encryptionConfiguration } from './encryption.ts'
import { ConfigurationFileError } from './error.ts'
import { type FileContext, type RegisteredKind, validateKind } from './kind.ts'
import { tracingConfiguration } from './tracing.ts'

export const fileKinds = {
  AdmissionConfiguration: admissionConfiguration,
  AuthenticationConfiguration: authenticationConfiguration,
  AuthorizationConfiguration: authorizationConfiguration,
  EncryptionConfiguration: encryptionConfiguration,
  Policy: auditPolicy,
  TracingConfiguration: tracingConfiguration,
}

export type FileKindName = keyof typeof fileKinds
/** Content of a file of a kind: defaults applied, durations in milliseconds, missing lists empty. */
export type ConfigurationFile<K extends FileKindName> = ReturnType<(typeof fileKinds)[K]['load']>

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

function kindsOf(name: FileKindName): readonly RegisteredKind[] {
  const { versions, legacy } = fileKinds[name]
  return [{ kind: name, versions }, ...(legacy ? [{ kind: legacy.kind, versions: [legacy.apiVersion] }] : [])]
}

/**
 * Loads a configuration file. `path` is used in errors and to resolve relative paths.
 * @throws ConfigurationFileError with all problems.
 */
export function loadConfigurationFile<K extends FileKindName>(
  kind: K,
  text: string,
  path: string,
  platform: Platform,
  options: Partial<Pick<FileContext, 'ownIssuers' | 'automaticReload' | 'egress' | 'gates'>> = {},
): ConfigurationFile<K> {
  const file = validateKind(parseText(text, path), kindsOf(kind), { path, platform })
  const context: FileContext = {
    platform,
    path,
    ownIssuers: options.ownIssuers ?? [],
    automaticReload: options.automaticReload ?? false,
    egress: options.egress ?? false,
    gates: options.gates ?? parseFeatureGates([], platform),
  }
  return fileKinds[kind].load(file, context) as ConfigurationFile<K>
}

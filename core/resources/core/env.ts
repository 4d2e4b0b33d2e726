import { bool, field, inline, message, pointer, required, string } from '../../schema/model.ts'
import { ObjectFieldSelector, ResourceFieldSelector } from './field-selector.ts'
import { LocalObjectReference } from './references.ts'

export const ConfigMapEnvSource = message('ConfigMapEnvSource', 'A config map whose keys become environment variables.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  optional: pointer(2, bool, 'The config map may be missing.'),
}))

export const ConfigMapKeySelector = message('ConfigMapKeySelector', 'Selects a key of a config map in the same namespace.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  key: required(2, string, 'Key to read.'),
  optional: pointer(3, bool, 'The config map, or the key, may be missing.'),
})).with({ atomic: true })

export const SecretEnvSource = message('SecretEnvSource', 'A secret whose keys become environment variables.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  optional: pointer(2, bool, 'The secret may be missing.'),
}))

export const EnvFromSource = message('EnvFromSource', 'A source of many environment variables.', () => ({
  prefix: field(1, string, 'Prefix of each key.'),
  configMapRef: pointer(2, ConfigMapEnvSource, 'Reads from this config map.'),
  secretRef: pointer(3, SecretEnvSource, 'Reads from this secret.'),
}))

export const SecretKeySelector = message('SecretKeySelector', 'Selects a key of a secret in the same namespace.', () => ({
  localObjectReference: inline(1, LocalObjectReference),
  key: required(2, string, 'Key to read.'),
  optional: pointer(3, bool, 'The secret, or the key, may be missing.'),
})).with({ atomic: true })

export const FileKeySelector = message('FileKeySelector', 'A variable in an environment file on a volume.', () => ({
  volumeName: required(1, string, 'Volume that holds the file; an emptyDir.'),
  path: required(2, string, 'File within the volume; relative and without `..`.'),
  key: required(3, string, 'Name of the variable in the file.'),
  optional: pointer(4, bool, 'The file, or the key, may be missing.', { default: false }),
})).with({ atomic: true })

export const EnvVarSource = message('EnvVarSource', 'Where the value of an environment variable comes from; one member is set.', () => ({
  fieldRef: pointer(1, ObjectFieldSelector, 'Field of the pod.'),
  resourceFieldRef: pointer(2, ResourceFieldSelector, 'Resource of a container.'),
  configMapKeyRef: pointer(3, ConfigMapKeySelector, 'Key of a config map.'),
  secretKeyRef: pointer(4, SecretKeySelector, 'Key of a secret.'),
  fileKeyRef: pointer(5, FileKeySelector, 'Variable of a file.', { gate: 'EnvFiles' }),
}))

export const EnvVar = message('EnvVar', 'An environment variable of a container.', () => ({
  name: required(1, string, 'Name; any printable ASCII characters except =.'),
  value: field(2, string, 'Text in which $(NAME) expands to variables defined before; $$ escapes.'),
  valueFrom: pointer(3, EnvVarSource, 'Source of the value; excludes `value`.'),
}))

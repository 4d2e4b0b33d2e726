import * as z from 'zod/mini'
import { list, optional, text, typeMeta } from '../../config/files/fields.ts'
import { fileKind } from '../../config/files/kind.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { admissionPlugins } from '../plugins/index.ts'

const schema = z.strictObject({
  ...typeMeta,
  plugins: list(
    z.strictObject({
      name: text,
      path: text,
      /** Inline configuration, instead of the file at `path`. */
      configuration: optional(z.record(z.string(), z.json())),
    }),
  ),
})

/** Resolves a path relative to the file. */
function beside(file: string, path: string): string {
  return path === '' || path.startsWith('/') ? path : file.replace(/[^/]*$/, '') + path
}

export const admissionConfiguration = fileKind({
  kinds: [{ kind: 'AdmissionConfiguration', versions: ['apiserver.config.<domain>/v1', 'apiserver.<domain>/v1alpha1'] }],
  schema,
  validate({ plugins }, errors) {
    const known: readonly string[] = admissionPlugins.map(({ name }) => name).sort()
    const seen = new Set<string>()
    for (const [index, { name }] of plugins.entries()) {
      const path = FieldPath.of('plugins').index(index).child('name')
      if (name === '') errors.required(path)
      else if (!known.includes(name)) errors.notSupported(path, name, known)
      else if (seen.has(name)) errors.duplicate(path, name)
      seen.add(name)
    }
  },
  complete: (file, { path }) => ({ ...file, plugins: file.plugins.map((plugin) => ({ ...plugin, path: beside(path, plugin.path) })) }),
})

import type { ResourceDefinition } from '../../resources/definition.ts'
import { type BuildDocument, lazyDocument, lazyForm } from '../document.ts'
import { groupServed, perRevision, type ServedVersion } from '../served.ts'
import { v3 } from './dialect.ts'
import { corePath, groupPath, groupsPath, otherPath, releasePath, versionPath } from './discovery-paths.ts'
import { registeredKinds } from './kinds.ts'
import { encodeDocument } from './message-protobuf.ts'
import { createModelNames, type ModelNames } from './model-names.ts'
import { createModels, type Models } from './models.ts'
import type { PathItem } from './operations.ts'
import type { OpenApiOptions } from './options.ts'
import { resourcePaths } from './resource-paths.ts'
import { openApiDocument } from './v3-document.ts'
import { v3Messages } from './v3-messages.ts'

/** One document; both encodings have the same ETag. */
export interface DocumentForms {
  readonly json: BuildDocument
  readonly protobuf: BuildDocument
}

/** The documents of a table revision by name, such as `apis/apps/v1`. */
export type Documents = ReadonlyMap<string, DocumentForms>

const core = { group: '', version: 'v1' }

/** Documents of unchanged group versions are reused. */
export function createDocuments({ served, platform, info, enums, others }: Omit<OpenApiOptions, 'clock'>): () => Documents {
  let known: ModelNames | undefined
  const modelNames = () => {
    known ??= createModelNames(platform)
    return known
  }
  let kept = new Map<string, { readonly definitions: readonly ResourceDefinition[]; readonly forms: DocumentForms }>()

  const document = (
    paths: (models: Models) => readonly PathItem[],
    version: Pick<ServedVersion, 'group' | 'version'> = core,
    definitions: readonly ResourceDefinition[] = [],
  ): DocumentForms => {
    const json = lazyDocument(() => {
      const names = modelNames()
      const models = createModels({ ...v3, enums }, names, registeredKinds(definitions, [core, version], names))
      return openApiDocument(info, paths(models), models)
    })
    return { json, protobuf: lazyForm(json, (value) => encodeDocument(v3Messages, value)) }
  }

  const ofVersion = (version: ServedVersion, all: readonly ResourceDefinition[]) => {
    const known = kept.get(version.path)
    if (known && same(known.definitions, version.definitions)) return known
    const paths = (models: Models) => [
      versionPath(version, platform, models),
      ...resourcePaths(version, { platform, names: modelNames(), models }),
    ]
    return { definitions: version.definitions, forms: document(paths, version, all) }
  }

  return perRevision(served, (definitions) => {
    const groups = groupServed(definitions, platform)
    kept = new Map(groups.flatMap(({ versions }) => versions.map((version) => [version.path, ofVersion(version, definitions)] as const)))
    return new Map([
      ['api', document((models) => [corePath(platform, models)])],
      ['apis', document((models) => [groupsPath(platform, models)])],
      ['version', document((models) => [releasePath(models)])],
      ...Object.entries(others).map(([path, other]) => [path.slice(1), document(() => [otherPath(path, other)])] as const),
      ...groups
        .filter(({ name }) => name !== '')
        .map((group) => [`apis/${group.name}`, document((models) => [groupPath(group, platform, models)])] as const),
      ...[...kept].map(([path, { forms }]) => [path.slice(1), forms] as const),
    ])
  })
}

const same = (a: readonly unknown[], b: readonly unknown[]) => a.length === b.length && a.every((value, index) => value === b[index])
